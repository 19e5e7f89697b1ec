import type { ResourceDescriptor } from './descriptors.ts'
import { integerId } from './ids.ts'
import type { BodyName, Field, Link, Member, OwnedBy, Owns, Property, Reference, Resource, UniqueKey } from './model.ts'

type Mutable<T> = { -readonly [K in keyof T]: T[K] extends readonly (infer Item)[] ? Item[] : T[K] }

/** A resource while the model is being built: the very object that is frozen in the end, so that relations can point to it. */
export interface ResourceDraft extends Omit<Mutable<Resource>, 'names'> {
  names: Map<string, BodyName>
}

/** What only the building needs. No part of the draft: an object that a property was deleted from is slow to read for good. */
interface Building {
  readonly descriptor: ResourceDescriptor
  /** The entries of `columns` that a field, foreign key or `id` has claimed. */
  readonly usedColumns: Set<string>
}

const buildings = new WeakMap<ResourceDraft, Building>()

export function newResource(key: string, descriptor: ResourceDescriptor): ResourceDraft {
  const draft: ResourceDraft = {
    key,
    route: descriptor.route ?? key,
    table: descriptor.table ?? key,
    id: integerId,
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
    concernsOthers: false,
    rank: 0,
  }
  buildings.set(draft, { descriptor, usedColumns: new Set(['id']) })
  return draft
}

/** What there is besides the draft while it is being built. */
export function buildingOf(draft: ResourceDraft): Building {
  return buildings.get(draft) as Building
}

/** The column of a field or foreign key; remembers that its entry in `columns` is used. */
export function columnOf(draft: ResourceDraft, name: string): string {
  const { descriptor, usedColumns } = buildingOf(draft)
  usedColumns.add(name)
  const { columns } = descriptor
  return columns !== undefined && Object.hasOwn(columns, name) ? (columns[name] as string) : name
}

/** Freezes a draft: nothing is added to it any more. */
export function finish(draft: ResourceDraft): Resource {
  const { uniques, references, links, referencedBy, linkedBy } = draft
  draft.concernsOthers = [uniques, references, links, referencedBy, linkedBy].some((list) => list.length > 0)
  for (const list of Object.values(draft)) if (Array.isArray(list)) Object.freeze(list)
  return Object.freeze(draft)
}
