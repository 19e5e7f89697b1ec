import type { Descriptors } from 'fastify-crud'
import {
  type RefField,
  type RefLink,
  type RefModel,
  type RefReference,
  type RefResource,
  readDescriptors,
  resourceOf,
} from '../property/reference-model.ts'
import { byId, childrenOf, linksOf, type Row, rowsOf, type State } from '../property/reference-store.ts'
import { type ComputedField, computedFieldsOf } from './computed-fields.ts'
import { type OrderedIds, orderedIdsOf, partSchema } from './ordered-ids.ts'

/** What the reference of reading knows of a model: its records, and the ways from one to others. */
export interface ReadingModel {
  readonly records: RefModel
  readonly resources: ReadonlyMap<string, ReadingResource>
  readonly idsOf: (resource: string) => OrderedIds
}

export interface ReadingResource {
  readonly key: string
  /** Fields that a client may name, those that are computed included. */
  readonly fields: readonly ReadingField[]
  /** What is computed, also for other callers. */
  readonly computed: readonly ComputedField[]
  readonly foreignKeys: readonly string[]
  readonly relations: readonly Relation[]
  /** Paths that `search` looks at; undefined if the resource has no search. */
  readonly search: readonly string[] | undefined
  /** Those of them that have an index. */
  readonly indexed: readonly string[]
}

/** What the reference of reading knows of a field. */
export type ReadingField = Pick<RefField, 'name' | 'schema' | 'writeOnly' | 'inSummary' | 'viewers'>

/** A declared relation, whichever side declares it. */
export interface Relation {
  readonly name: string
  readonly target: string
  readonly isMany: boolean
  /** The property of the record that holds the id of the related one. */
  readonly foreignKey: string | undefined
  /** The related record is shown with all that it has, not only with its fields. */
  readonly isOwned: boolean
  /** A body of the record may say which records these are. */
  readonly isSettable: boolean
  /** A record carries it unless a request says otherwise. */
  readonly isDefault: boolean
  /** The related records, in order of id. */
  follow(state: State, row: Row): Row[]
}

/** What descriptors may say about reading. */
interface ReadingOptions {
  readonly search?: { readonly fields: readonly string[]; readonly index?: boolean }
  readonly defaultInclude?: readonly string[]
}

/**
 * `descriptors`: with integers as ids. `roles`: those of the caller; undefined for the system, which sees all fields. `ids`: the
 * kinds of ids on the databases.
 */
export function readingModelOf(descriptors: Descriptors, roles?: readonly string[], ids = 0): ReadingModel {
  const idsOf = orderedIdsOf(descriptors, ids)
  const records = readDescriptors(descriptors)
  const resources = new Map<string, ReadingResource>()
  for (const resource of records.resources.values()) {
    const descriptor = descriptors[resource.key] ?? {}
    const { search, defaultInclude }: ReadingOptions = descriptor
    const computed = computedFieldsOf(descriptors, descriptor)
    const { part } = idsOf(resource.key)
    const parts = part === undefined ? [] : [partField(part)]
    const isDefault = (name: string, carries: boolean): boolean => defaultInclude?.includes(name) ?? carries
    resources.set(resource.key, {
      key: resource.key,
      fields: [...resource.fields, ...parts, ...computed].filter((field) => isShown(field, roles)),
      computed,
      foreignKeys: resource.references.map(({ foreignKey }) => foreignKey),
      relations: [...ownedAndNamed(resource, isDefault), ...facing(records, descriptors, resource.key, isDefault)],
      search: search?.fields,
      indexed:
        search?.index === true ? search.fields.filter((path) => Object.hasOwn(descriptor.fields ?? {}, path)) : [],
    })
  }
  return { records, resources, idsOf }
}

function partField(name: string): ReadingField {
  return { name, schema: partSchema(), writeOnly: false, inSummary: true, viewers: undefined }
}

export function readingResourceOf(model: ReadingModel, key: string): ReadingResource {
  const resource = model.resources.get(key)
  if (resource === undefined) throw new Error(`no resource ${key}`)
  return resource
}

export function relationOf(resource: ReadingResource, name: string): Relation | undefined {
  return resource.relations.find((relation) => relation.name === name)
}

function isShown({ writeOnly, viewers }: ReadingField, roles: readonly string[] | undefined): boolean {
  return !writeOnly && (viewers === undefined || roles === undefined || viewers.some((role) => roles.includes(role)))
}

type IsDefault = (name: string, carries: boolean) => boolean

/** What a record owns, needs and knows. */
function ownedAndNamed(resource: RefResource, isDefault: IsDefault): Relation[] {
  return [
    ...resource.owns.map(
      (owns): Relation => ({
        name: owns.name,
        target: owns.target,
        isMany: owns.many,
        foreignKey: undefined,
        isOwned: true,
        isSettable: true,
        isDefault: isDefault(owns.name, true),
        follow: (state, row) => childrenOf(state, row, owns),
      }),
    ),
    ...resource.references.map(
      ({ name, target, foreignKey }): Relation => ({
        name,
        target,
        isMany: false,
        foreignKey,
        isOwned: false,
        isSettable: true,
        isDefault: isDefault(name, true),
        follow: (state, row) => rowAt(state, target, row.values[foreignKey]),
      }),
    ),
    ...resource.links.map(
      ({ name, target, table, from, to }): Relation => ({
        name,
        target,
        isMany: true,
        foreignKey: undefined,
        isOwned: false,
        isSettable: true,
        isDefault: isDefault(name, true),
        follow: (state, row) => linked(state, table, from, to, target, row),
      }),
    ),
    ...resource.owners.map(
      ({ name, target }): Relation => ({
        name,
        target,
        isMany: false,
        foreignKey: undefined,
        isOwned: false,
        isSettable: false,
        isDefault: isDefault(name, false),
        follow: (state, { owner }) => (owner?.relation === name ? rowAt(state, target, owner.id) : []),
      }),
    ),
  ]
}

/** The relations by which a record is needed. */
function facing(model: RefModel, descriptors: Descriptors, key: string, isDefault: IsDefault): Relation[] {
  const declared = Object.entries(descriptors[key]?.relations ?? {})
  return declared.flatMap(([name, { relation, target, options }]): Relation[] => {
    if (!relation.startsWith('neededBy.')) return []
    const { inverse } = options as { inverse?: string }
    const needing = resourceOf(model, target)
    const reference = needing.references.find((one) => one.name === inverse)
    const link = needing.links.find((one) => one.name === inverse)
    return [
      {
        name,
        target,
        isMany: relation === 'neededBy.many',
        foreignKey: undefined,
        isOwned: false,
        isSettable: false,
        isDefault: isDefault(name, false),
        follow: (state, row) => needingRows(state, target, reference, link, row),
      },
    ]
  })
}

function needingRows(
  state: State,
  key: string,
  reference: RefReference | undefined,
  link: RefLink | undefined,
  row: Row,
): Row[] {
  if (link !== undefined) return linked(state, link.table, link.to, link.from, key, row)
  if (reference === undefined) throw new Error(`${key} has no such relation`)
  return byId([...rowsOf(state, key).values()].filter(({ values }) => values[reference.foreignKey] === row.id))
}

function linked(state: State, table: string, here: string, there: string, target: string, row: Row): Row[] {
  const links = linksOf(state, table).filter((link) => link[here] === row.id)
  return byId(links.flatMap((link) => rowAt(state, target, link[there])))
}

function rowAt(state: State, key: string, id: unknown): Row[] {
  const row = rowsOf(state, key).get(Number(id ?? 0))
  return row === undefined ? [] : [row]
}
