import type { ResourceDescriptor } from './descriptors.ts'
import type { BodyName, Field, Link, Member, OwnedBy, Owns, Property, Reference, Resource, UniqueKey } from './model.ts'

type Mutable<T> = { -readonly [K in keyof T]: T[K] extends readonly (infer Item)[] ? Item[] : T[K] }

/** A resource while the model is being built: the very object that is frozen in the end, so that relations can point to it. */
export interface ResourceDraft extends Omit<Mutable<Resource>, 'names'> {
  names: Map<string, BodyName>
  descriptor: ResourceDescriptor
  /** The entries of `columns` that a field, foreign key or `id` has claimed. */
  usedColumns: Set<string>
}

export function newResource(key: string, descriptor: ResourceDescriptor): ResourceDraft {
  return {
    key,
    route: descriptor.route ?? key,
    table: descriptor.table ?? key,
    idColumn: descriptor.columns?.id ?? 'id',
    description: descriptor.description,
    fields: [] as Field[],
    owns: [] as Owns[],
    ownedBy: [] as OwnedBy[],
    references: [] as Reference[],
    links: [] as Link[],
    members: [] as Member[],
    properties: [] as Property[],
    names: new Map(),
    uniques: [] as UniqueKey[],
    referencedBy: [] as Reference[],
    linkedBy: [] as Link[],
    recursive: [] as Owns[],
    isRoot: true,
    rank: 0,
    descriptor,
    usedColumns: new Set(['id']),
  }
}

/** The column of a field or foreign key; remembers that its entry in `columns` is used. */
export function columnOf(draft: ResourceDraft, name: string): string {
  draft.usedColumns.add(name)
  const { columns } = draft.descriptor
  return columns !== undefined && Object.hasOwn(columns, name) ? (columns[name] as string) : name
}

/** Freezes a draft; what only the building needed is left behind. */
export function finish(draft: ResourceDraft): Resource {
  const resource: Partial<ResourceDraft> = draft
  delete resource.descriptor
  delete resource.usedColumns
  for (const list of Object.values(resource)) if (Array.isArray(list)) Object.freeze(list)
  return Object.freeze(resource) as Resource
}
