import { dbDefault } from '@fastify-crud/core'
import type { JsonSchema } from '@fastify-crud/core/internal'
import { comment, literal, property } from '../../print-literal.ts'
import {
  type FieldDraft,
  type FoundModel,
  type FoundResource,
  mayBeLeftOut,
  type RelationDraft,
} from '../draft/draft.ts'
import { columnNames, defaultInclude, inSchema, isTopLevel, tableName } from '../to-descriptors.ts'

/** The draft as a module in JavaScript, which is TypeScript as well. */
export function printResources(draft: FoundModel): string {
  const resources = draft.resources.map((resource) => printResource(draft, resource))
  const body = resources.join('\n').replace(/^(?=.)/gm, '  ')
  const module = `export const resources = defineResources({\n${body}\n})\n`
  return [...printImports(module), HEAD, module, ...printLeft(draft)].join('\n')
}

const HEAD = `// Made from the database's tables by \`fastify-crud introspect\`. It is yours now: change the relations, names and fields as your service
// needs them. \`fastify-crud check\` says where this and the database differ.`

/** The functions that declare relations. */
const BUILDERS = ['knows', 'neededBy', 'needs', 'ownedBy', 'owns']

function printImports(module: string): readonly string[] {
  const used = ['dbDefault', 'defineResources', 'field', ...BUILDERS].filter((name) => {
    return new RegExp(`\\b${name}\\b[(.,} ]`).test(withoutTexts(module))
  })
  const ours = `import { ${used.sort().join(', ')} } from 'fastify-crud'`
  return /\bType\./.test(withoutTexts(module))
    ? ["import { Type } from '@sinclair/typebox'", `${ours}\n`]
    : [`${ours}\n`]
}

/** What is in quotes or in comments imports nothing. */
function withoutTexts(module: string): string {
  return module.replace(/'[^'\n]*'|"(?:[^"\\\n]|\\.)*"|\/\/.*/g, "''")
}

function printLeft({ left }: FoundModel): readonly string[] {
  if (left.size === 0) return []
  const lines = [...left].map(([table, reason]) => comment(`- ${JSON.stringify(table)}: ${reason}`))
  return ['// These tables are no resources:', ...lines, '']
}

function printResource(draft: FoundModel, resource: FoundResource): string {
  const { key, table, description, id, isReadOnly, fields, relations, unique, notes } = resource
  const name = tableName(draft, table)
  const columns = columnNames(resource)
  const carried = defaultInclude(resource)
  const entries = [
    ...(description === undefined ? [] : [`description: ${literal(description)},`]),
    ...(name === key ? [] : [`table: ${literal(name)},`]),
    ...(id === 'integer' ? [] : [`id: ${literal(id)},`]),
    ...(isReadOnly ? ['writable: false,'] : []),
    ...(Object.keys(columns).length === 0 ? [] : [`columns: ${literal(columns)},`]),
    ...block(
      'fields',
      fields.map((field) => withNote(`${property(field.name)}: ${printField(field)},`, field.note)),
    ),
    ...block(
      'relations',
      relations.map((relation) => printRelation(draft, relation)),
    ),
    ...(unique.length === 0 ? [] : [`unique: ${literal(unique)},`]),
    ...(isTopLevel(resource) ? ['topLevel: true,'] : []),
    ...(carried === undefined ? [] : [`defaultInclude: ${literal(carried)},`]),
    ...notes.map(comment),
  ]
  return `${property(key)}: {\n${entries.map((line) => `  ${line}`).join('\n')}\n},`
}

function block(name: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : [`${name}: {`, ...lines.map((line) => `  ${line}`), '},']
}

function printRelation(
  draft: FoundModel,
  { name, relation, target, options, note, foreignKey }: RelationDraft,
): string {
  const { foreignKey: given, ...others } = inSchema(draft, options)
  const isUsual = given === undefined || foreignKey?.name === `${name}Id`
  const all = isUsual ? others : { foreignKey: given, ...others }
  const last = Object.keys(all).length === 0 ? '' : `, ${literal(all)}`
  return withNote(`${property(name)}: ${relation}(${literal(target)}${last}),`, note)
}

function withNote(line: string, note: string | undefined): string {
  return note === undefined ? line : `${line} ${comment(note)}`
}

/** The source of a field, in TypeBox. */
function printField(field: FieldDraft): string {
  const { schema, isNullable, options } = field
  const mayBeMissing = mayBeLeftOut(field)
  const nullable = isNullable && !mayBeMissing ? printOrNull(schema) : printSchema(schema)
  const type = mayBeMissing ? `Type.Optional(${nullable})` : nullable
  const entries = Object.entries(options).map(([name, value]) => `${name}: ${printOption(value)}`)
  return entries.length === 0 ? type : `field(${type}, { ${entries.join(', ')} })`
}

/** How a column spells a value is said of the whole field. */
function printOrNull({ stored, ...schema }: JsonSchema): string {
  const keywords = stored === undefined ? '' : `, ${literal({ stored })}`
  return `Type.Union([${printSchema(schema)}, Type.Null()]${keywords})`
}

function printOption(value: unknown): string {
  return value === dbDefault ? 'dbDefault' : literal(value)
}

const TYPES: Readonly<Record<string, string>> = {
  string: 'String',
  integer: 'Integer',
  number: 'Number',
  boolean: 'Boolean',
}

function printSchema({ type, const: value, anyOf, items, ...options }: JsonSchema): string {
  const keywords = Object.keys(options).length === 0 ? [] : [literal(options)]
  const call = (name: string, ...given: readonly string[]) => `Type.${name}(${[...given, ...keywords].join(', ')})`
  if (value !== undefined) return call('Literal', literal(value))
  if (Array.isArray(anyOf)) return call('Union', `[${anyOf.map(printSchema).join(', ')}]`)
  if (type === 'array') return call('Array', printSchema(items as JsonSchema))
  if (type === 'null') return 'Type.Null()'
  return call(TYPES[String(type)] ?? 'Any')
}
