import type { FieldSchema, ResourceDescriptor } from '@fastify-crud/core'
import type { JsonSchema, RelationDeclaration } from '@fastify-crud/core/internal'
import { type FieldDraft, type FoundModel, type FoundResource, mayBeLeftOut } from './draft/draft.ts'

/** The draft as descriptors with schemas in plain JSON, for `defineResources`. */
export function toDescriptors(draft: FoundModel): Record<string, ResourceDescriptor> {
  return Object.fromEntries(draft.resources.map((resource) => [resource.key, toDescriptor(draft, resource)]))
}

function toDescriptor(draft: FoundModel, resource: FoundResource): ResourceDescriptor {
  const { description, id, isReadOnly, fields, relations, unique } = resource
  const carried = defaultInclude(resource)
  return {
    ...(description !== undefined && { description }),
    table: tableName(draft, resource.table),
    id,
    ...(isReadOnly && { writable: false as const }),
    columns: columnNames(resource),
    fields: Object.fromEntries(fields.map((field) => [field.name, toSchema(field)])),
    relations: Object.fromEntries(
      relations.map(({ name, relation, target, options }) => {
        return [name, { relation, target, options: inSchema(draft, options) } as RelationDeclaration]
      }),
    ),
    unique,
    ...(isTopLevel(resource) && { topLevel: true }),
    ...(carried !== undefined && { defaultInclude: carried }),
  }
}

/** The table's name as a descriptor has it, with that of its schema where it needs one. */
export function tableName({ schema }: FoundModel, table: string): string {
  return schema === undefined ? table : `${schema}.${table}`
}

/** The options of a relation, with the link table called as a descriptor has it. */
export function inSchema(draft: FoundModel, options: FoundResource['relations'][number]['options']): typeof options {
  return typeof options.through === 'string' ? { ...options, through: tableName(draft, options.through) } : options
}

/** The columns that are called otherwise than the properties. */
export function columnNames({ idColumn, fields, relations }: FoundResource): Readonly<Record<string, string>> {
  const keys = relations.flatMap(({ foreignKey }) => (foreignKey === undefined ? [] : [foreignKey]))
  const all = [...(idColumn === undefined ? [] : [{ name: 'id', column: idColumn }]), ...fields, ...keys]
  return Object.fromEntries(all.filter(({ name, column }) => name !== column).map(({ name, column }) => [name, column]))
}

/**
 * The single records that a record names. Arrays are not among them: a PUT that leaves them out would delete what its
 * author does not know. Undefined where there is nothing else to carry.
 */
export function defaultInclude({ relations }: FoundResource): readonly string[] | undefined {
  const holdsMore = relations.some(
    ({ relation }) => /^owns\.|\.many$/.test(relation) && !relation.startsWith('neededBy'),
  )
  if (!holdsMore) return undefined
  return relations
    .filter(({ relation }) => relation === 'needs.one' || relation === 'knows.one')
    .map(({ name }) => name)
}

/** Its author expects a list of its records. Those with ids of several members are reached by their owners alone. */
export function isTopLevel({ id, key, relations }: FoundResource): boolean {
  const owners = relations.filter(({ relation }) => relation === 'ownedBy')
  return owners.length > 0 && !Array.isArray(id) && owners.every(({ target }) => target !== key)
}

function toSchema(field: FieldDraft): FieldSchema {
  const { schema, isNullable, options } = field
  const nullable = isNullable ? orNull(schema) : schema
  return { ...nullable, ...options, ...(mayBeLeftOut(field) && { default: null }) }
}

/** JSON of any kind allows null already. */
function orNull(schema: JsonSchema): JsonSchema {
  if (Object.keys(schema).every((keyword) => keyword === 'description')) return { anyOf: [schema, { type: 'null' }] }
  const { stored, ...rest } = schema
  return { anyOf: [rest, { type: 'null' }], ...(stored !== undefined && { stored }) }
}
