import type { AnyCollection } from '../collection.ts'
import { type RelationModel, type ResourceModel, resourceNamed, type ServiceModel } from '../service-model.ts'

// Frameworks know records by the name of a resource and an id. Here these become a collection of the client.

/** As much of a client as data providers use: any client fits. */
export interface DataClient {
  model(): Promise<ServiceModel>
  resource(key: never): unknown
}

/** A record that owns those that are asked for, and its own owner, if it has no path at the top itself. */
export interface OwnerAddress {
  readonly resource: string
  readonly id: RecordId
  /** The relation that owns them. Default: the only one that does. */
  readonly relation?: string
  readonly owner?: OwnerAddress
}

export type RecordId = string | number

/** What a component may say of a request, in the `meta` that both frameworks pass on. */
export interface RecordMeta {
  /** The owner of the records, where their resource has no path at the top. */
  readonly owner?: OwnerAddress
  /** What records have. Such records have no ETag, so that writes of them are unconditional. */
  readonly fields?: readonly string[]
  readonly include?: readonly string[]
  readonly nested?: object
  /** How many records a list counts: `'exact'`, `'none'` or a number. Default: as the service does. */
  readonly count?: 'exact' | 'none' | number
  /** The records of the trash. */
  readonly deleted?: boolean
  readonly headers?: Readonly<Record<string, string>>
}

/** The collection of a resource: at the top, or what one record owns. Throws an Error if it needs an owner. */
export function collectionOf(api: DataClient, model: ServiceModel, key: string, owner?: OwnerAddress): AnyCollection {
  const resource = resourceNamed(model, key)
  if (owner === undefined) {
    if (isAtTop(resource)) return api.resource(key as never) as AnyCollection
    const [[name, relation] = ['its owner', undefined]] = relationsOf(resource, ({ kind }) => kind === 'ownedBy')
    const example = `{ owner: { resource: '${relation?.target ?? name}', id } }`
    throw new Error(`the records of '${key}' are reached through their owner: say which one in meta, ${example}`)
  }
  const relation = owner.relation ?? owningRelation(model, owner.resource, key)
  return collectionOf(api, model, owner.resource, owner.owner).owned(toId(model, owner.resource, owner.id), relation)
}

/** How the records are found that belong to one. */
export type RecordReference =
  | { readonly by: 'filter'; readonly path: string }
  | { readonly by: 'owner'; readonly resource: string; readonly relation: string }
  | { readonly by: 'links'; readonly resource: string; readonly relation: string }

/**
 * How the records of `key` are found that belong to one record. `target` is a foreign key of theirs (`publisherId`), a
 * relation of theirs (`authors`), or the relation of the other record that leads to them (`book.tags`).
 * Throws an Error for anything else.
 */
export function referenceOf(model: ServiceModel, key: string, target: string): RecordReference {
  const resource = resourceNamed(model, key)
  const [other = '', name = ''] = target.split('.')
  const there = Object.hasOwn(model.resources, other) ? model.resources[other]?.relations[name] : undefined
  if (there?.target === key) return referenceFrom(resource, other, name, there)
  const [found] = relationsOf(resource, ({ foreignKey }, own) => own === target || foreignKey === target)
  if (found === undefined) {
    if (Object.hasOwn(resource.fields, target) || target.includes('.')) return { by: 'filter', path: target }
    throw new Error(
      `'${key}' has no foreign key and no relation '${target}', and '${target}' is no relation to it, such as 'book.tags'`,
    )
  }
  const [own, { kind, target: owner, inverse }] = found
  if (kind === 'ownedBy' && !isAtTop(resource)) {
    return { by: 'owner', resource: owner, relation: inverse ?? owningRelation(model, owner, key) }
  }
  return { by: 'filter', path: `${own}.id` }
}

function referenceFrom(resource: ResourceModel, other: string, name: string, relation: RelationModel): RecordReference {
  if (relation.kind.startsWith('owns') && !isAtTop(resource)) return { by: 'owner', resource: other, relation: name }
  if (relation.inverse !== undefined) return { by: 'filter', path: `${relation.inverse}.id` }
  if (relation.path !== undefined) return { by: 'links', resource: other, relation: name }
  throw new Error(`no list has the records of '${other}.${name}': its target needs a relation that leads back`)
}

/** The id as the service has it: addresses of pages have texts. */
export function toId(model: ServiceModel, key: string, id: RecordId): RecordId {
  return model.resources[key]?.id?.kind === 'integer' && typeof id === 'string' && /^\d+$/.test(id) ? Number(id) : id
}

function isAtTop({ paths }: ResourceModel): boolean {
  return paths.some((path) => !path.includes('{'))
}

/** The relation by which the records of one resource own those of another. Throws an Error unless there is one. */
function owningRelation(model: ServiceModel, owner: string, key: string): string {
  const resource = resourceNamed(model, owner)
  const names = relationsOf(resource, ({ kind, target }) => kind.startsWith('owns') && target === key).map(([of]) => of)
  if (names.length === 1) return names[0] as string
  const found = names.length === 0 ? 'owns none' : `owns them as ${names.join(' and as ')}: say which, as 'relation'`
  throw new Error(`of the records of '${key}', '${owner}' ${found}`)
}

function relationsOf(
  { relations }: ResourceModel,
  fits: (relation: RelationModel, name: string) => boolean,
): [name: string, relation: RelationModel][] {
  return Object.entries(relations).filter(([name, relation]) => fits(relation, name))
}
