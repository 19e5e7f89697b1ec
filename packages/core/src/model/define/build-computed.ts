import type { ModelProblem } from '../../errors.ts'
import { unknownEntries } from '../check/entries.ts'
import { described } from '../check/foreign-schema.ts'
import { didYouMean, problemOfComputedName } from '../check/names.ts'
import { readSchema } from '../check/read-schema.ts'
import type { AggregateKind } from '../descriptors/computed.ts'
import { FIELD_OPTIONS, fieldOptionsOf, problemsOfFieldOptions } from '../descriptors/field-options.ts'
import { isObject } from '../is-object.ts'
import { type Computed, type Field, isToMany, type Relation } from '../model.ts'
import { allRelationsOf } from '../resource-tree.ts'
import { fieldCheck, problemsOfFieldSchema } from '../values/field-check.ts'
import { type JsonSchema, textFormat } from '../values/schema-facts.ts'
import { storageOf } from '../values/storage.ts'
import { buildingOf, type ResourceDraft } from './resource-draft.ts'

const AGGREGATES: readonly AggregateKind[] = ['count', 'sum', 'min', 'max']
const OPTIONS = ['summary', 'access']
const ENTRIES = {
  aggregate: ['aggregate', 'relation', 'field', 'visible', ...OPTIONS],
  expression: ['schema', 'value', ...OPTIONS],
} as const

/** Turns a descriptor's `computed` into the resource's computed fields. The relations of all resources are there
 * already. */
export function buildComputed(draft: ResourceDraft, problems: ModelProblem[]): void {
  for (const [name, declaration] of Object.entries(buildingOf(draft).descriptor.computed ?? {})) {
    const place = `${draft.key}.computed.${name}`
    const found = problemOfComputedName(name) ?? whyTaken(draft, name)
    const wrong = found === undefined ? [] : [found]
    const computed = build(draft, name, declaration, wrong)
    for (const message of wrong) problems.push({ place, message })
    if (wrong.length === 0 && computed !== undefined) addComputed(draft, computed)
  }
}

/** Adds a computed field to its resource. */
function addComputed(draft: ResourceDraft, computed: Computed): void {
  draft.computed.push(computed)
  draft.properties.push(computed)
  draft.names.set(computed.name, { is: 'computed', computed })
}

/** Owners are in no record, but filters name them. */
function whyTaken({ key, names, ownedBy, neededBy }: ResourceDraft, name: string): string | undefined {
  const isTaken =
    names.has(name) ||
    ownedBy.some((one) => one.foreignKey === name) ||
    [...ownedBy, ...neededBy].some((one) => one.name === name)
  return isTaken ? `${key} has a field or relation '${name}' already` : undefined
}

function build(draft: ResourceDraft, name: string, declaration: unknown, wrong: string[]): Computed | undefined {
  if (!isObject(declaration)) {
    wrong.push(`must be sumOf(…), countOf(…), or an object with 'schema' and 'value', not ${described(declaration)}`)
    return undefined
  }
  const form = 'aggregate' in declaration ? 'aggregate' : 'expression'
  wrong.push(...unknownEntries(declaration, ENTRIES[form], 'a computed field has no'))
  const made = form === 'aggregate' ? overRecords(draft, declaration, wrong) : byExpression(declaration, wrong)
  if (made === undefined) return undefined
  const { summary, access = made.access } = declaration
  // No caller can set it, whatever its access says.
  const options: JsonSchema = {
    readOnly: true,
    ...(summary !== undefined && { summary }),
    ...(access !== undefined && { access }),
  }
  wrong.push(...problemsOfFieldOptions(options))
  if (wrong.length > 0) return undefined
  const { schema, storage, nullable } = made
  return Object.freeze({
    kind: 'computed',
    name,
    property: name,
    source: draft,
    schema,
    storage,
    nullable,
    ...fieldOptionsOf(options),
    value: Object.freeze(made.value),
    check: fieldCheck(schema, storage),
  })
}

type Declared = Readonly<Record<string, unknown>>

interface Made extends Pick<Computed, 'schema' | 'storage' | 'nullable' | 'value'> {
  /** Who may see it, if the declaration does not say. */
  readonly access?: object | undefined
}

function byExpression({ schema: given, value }: Declared, wrong: string[]): Made | undefined {
  if (typeof value !== 'function') {
    wrong.push(`'value' must be a function that returns an expression of Kysely's, not ${described(value)}`)
  }
  const read = readSchema(given)
  if ('problem' in read) {
    wrong.push(`'schema': ${read.problem}`)
    return undefined
  }
  const { schema, isOptional, takesNull } = read
  for (const option of ['default', ...FIELD_OPTIONS]) {
    if (schema[option] === undefined || option === 'readOnly') continue
    const isElsewhere = OPTIONS.includes(option)
    wrong.push(
      `'schema' has '${option}', which ${isElsewhere ? "belongs beside 'schema'" : 'a computed field cannot have'}`,
    )
  }
  const storage = storageOf(schema)
  if ('problem' in storage) {
    wrong.push(`'schema': ${storage.problem}`)
    return undefined
  }
  wrong.push(...problemsOfFieldSchema(schema).map((problem) => `'schema': ${problem}`))
  const nullable = isOptional || (takesNull ?? storage.nullable)
  const build = value as (on: object) => unknown
  return { schema, storage: storage.kind, nullable, value: { kind: 'expression', build } }
}

function overRecords(draft: ResourceDraft, declaration: Declared, wrong: string[]): Made | undefined {
  const isVisible = declaration.visible === true
  const relation = relationNamed(draft, declaration.relation, wrong)
  const kind = AGGREGATES.find((one) => one === declaration.aggregate)
  if (kind === undefined) {
    wrong.push(`'aggregate' must be one of ${AGGREGATES.join(', ')}`)
    return undefined
  }
  if (relation === undefined) return undefined
  if (kind === 'count') {
    const schema = { type: 'integer', minimum: 0, description: `The number of \`${relation.name}\`.` }
    return { schema, storage: 'integer', nullable: false, value: { kind, relation, isVisible } }
  }
  const field = fieldNamed(relation, declaration.field, wrong)
  if (field === undefined) return undefined
  const type = kind === 'sum' ? summedAs(field) : comparedAs(field)
  if (type === undefined) {
    const takes =
      kind === 'sum' ? 'an integer, a number or a decimal' : 'a single value that is neither JSON nor base64'
    wrong.push(`${kind}Of needs ${takes}, which '${relation.target.key}.${field.name}' is not`)
    return undefined
  }
  const description = `${WORDS[kind]} of \`${field.name}\` over \`${relation.name}\`.`
  return {
    schema: { ...type, description },
    storage: field.storage,
    nullable: kind !== 'sum',
    value: { kind, relation, field, isVisible },
    // A value of one record would be told to those who do not see it.
    access: field.access?.View && { View: field.access.View },
  }
}

const WORDS = { sum: 'The sum', min: 'The lowest value', max: 'The highest value' } as const

function relationNamed(draft: ResourceDraft, name: unknown, wrong: string[]): Relation | undefined {
  const all = allRelationsOf(draft)
  const relation = all.find((one) => one.name === name)
  if (relation !== undefined && isToMany(relation)) return relation
  const what = relation === undefined ? `no relation '${String(name)}'` : `'${relation.name}' leads to one record`
  const hint = relation === undefined ? didYouMean(String(name), all.filter(isToMany)) : ''
  wrong.push(`${what}${hint}; name a relation to several records`)
  return undefined
}

function fieldNamed({ target }: Relation, name: unknown, wrong: string[]): Field | undefined {
  const field = target.fields.find((one) => one.name === name)
  if (field === undefined) {
    wrong.push(`${target.key} has no field '${String(name)}'${didYouMean(String(name), target.fields)}`)
    return undefined
  }
  // Not as callers with some roles have it: who sees the computed field is said by its own access.
  if (field.schema.writeOnly !== true) return field
  wrong.push(`'${target.key}.${field.name}' is writeOnly: no answer contains it`)
  return undefined
}

/** What sums of the field's values are; undefined if they cannot be added. */
function summedAs({ storage, schema }: Field): JsonSchema | undefined {
  if (storage === 'integer' || storage === 'number') return { type: storage }
  return storage === 'string' && textFormat(schema) === 'decimal' ? { type: 'string', format: 'decimal' } : undefined
}

function comparedAs(field: Field): JsonSchema | undefined {
  if (field.storage === 'json' || field.storage === 'bytes') return undefined
  const { default: _, description, title, examples, ...meaning } = field.schema
  return Object.fromEntries(Object.entries(meaning).filter(([keyword]) => !isOption(keyword)))
}

function isOption(keyword: string): boolean {
  return FIELD_OPTIONS.some((option) => option === keyword)
}
