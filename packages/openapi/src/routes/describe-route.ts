import {
  type HistoryOperation,
  type Link,
  type Mount,
  type Operation,
  type Owns,
  ownedTree,
  type Reference,
  type Resource,
  type UpdateOperation,
  withArticle,
} from '@fastify-crud/core/internal'
import { safeName } from '../components/component-id.ts'
import type { Method } from '../components/openapi-document.ts'
import { sentences } from '../sentences.ts'

const TITLES: Readonly<Record<RouteKind, (record: string) => string>> = {
  list: (record) => `List ${record} records`,
  group: (record) => `Group ${record} records`,
  findOne: (record) => `Read one ${record} record`,
  create: (record) => `Create one ${record} record`,
  createWithId: (record) => `Create one ${record} record under a chosen id`,
  replace: (record) => `Replace one ${record} record`,
  replaceWithId: (record) => `Replace one ${record} record, with the id in the body`,
  patch: (record) => `Change one ${record} record`,
  delete: (record) => `Delete one ${record} record`,
  patchMany: (record) => `Change several ${record} records`,
  deleteMany: (record) => `Delete several ${record} records`,
  longList: (record) => `List ${record} records, with the query in the body`,
  longGroup: (record) => `Group ${record} records, with the query in the body`,
  deleted: (record) => `List deleted ${record} records`,
  deletedOne: (record) => `Read one deleted ${record} record`,
  restore: (record) => `Bring back one deleted ${record} record`,
  purge: (record) => `Remove one deleted ${record} record for good`,
}

const BY_FILTER =
  'All that match the filter. `Prefer: max-affected=N` is required: if more than N records would change, none does.'
const PATCH_MANY = `An array changes the records whose ids it has. One object is for all that match the filter, with \`Prefer: max-affected=N\`: if more than N records would change, none does.`

const RESTORE =
  'What was deleted together with it comes back, too. References that were cleared stay so, and links that were removed. Refused with 409 while its owner or what it needs is deleted, or if another record has its unique values.'
const PURGE = 'What it owned goes with it. Refused with 409 while another record needs one of them, be it deleted, too.'

/** What the operation does, in a few words. */
export function summaryOfRoute(kind: RouteKind, method: Method, mount: Mount): string {
  const title = `${TITLES[kind](mount.path.resource.key)}${method === 'head' ? ', headers only' : ''}`
  const owner = mount.owners.at(-1)?.owns
  if (owner === undefined) return title
  // Where an owner has the same kind of records twice, only the relation tells them apart.
  const hasSeveral = owner.source.owns.filter((other) => other.target === owner.target).length > 1
  return `${title} of one ${owner.source.key}${hasSeveral ? ` (${owner.name})` : ''}`
}

/** What the operation does to the record and those related to it, in a sentence or a few. Empty where the summary says
 * it all. */
export function descriptionOf(kind: RouteKind, method: Method, mount: Mount): string {
  if (method === 'head') return ''
  const owner = mount.owners.at(-1)?.owns
  const { resource } = mount.path
  switch (kind) {
    case 'list':
    case 'group':
    case 'createWithId':
    case 'replaceWithId':
    case 'longList':
    case 'longGroup':
    case 'deleted':
    case 'deletedOne':
      return ''
    case 'restore':
      return RESTORE
    case 'purge':
      return PURGE
    case 'patchMany':
      return PATCH_MANY
    case 'deleteMany':
      return BY_FILTER
    case 'findOne':
      return shows(resource)
    case 'create':
      return create(resource, owner)
    case 'replace':
      return replace(resource)
    case 'patch':
      return patch(resource)
    case 'delete':
      return remove(resource, owner)
  }
}

function shows(resource: Resource): string {
  const owned = resource.owns.filter(isCarried)
  const related = [...resource.references, ...resource.links].filter(isCarried)
  return sentences(
    owned.length > 0 &&
      `Includes ${owned.length < resource.owns.length ? '' : 'all '}records that it owns: ${named(owned)}.`,
    related.length > 0 && `Includes the id and the fields of records that it needs or knows: ${named(related)}.`,
  )
}

function isCarried({ carried }: Owns | Reference | Link): boolean {
  return carried
}

function create(resource: Resource, owner: Owns | undefined): string {
  const needed = needs(resource)
  return sentences(
    resource.owns.length > 0 && `Creates the record and its owned records: ${named(resource.owns)}.`,
    needed.length > 0 && `The body must name the existing records that it needs: ${named(needed)}.`,
    owner?.many === false && `Refused with 409 if the ${owner.source.key} has one already.`,
  )
}

function replace(resource: Resource): string {
  const one = resource.owns.filter((owns) => !owns.many)
  const many = resource.owns.filter((owns) => owns.many)
  const besides = [...resource.owns, ...resource.links].filter((relation) => !isCarried(relation))
  return sentences(
    'Properties that are left out become their default or null, or are 400.',
    one.length > 0 && `An owned record is replaced, created or removed as the body says: ${named(one)}.`,
    many.length > 0 &&
      `Owned records with \`id\` are replaced, those without are created, and all others are removed: ${named(many)}.`,
    resource.links.length > 0 && `Links are set to exactly the listed records: ${named(resource.links)}.`,
    besides.length > 0 &&
      `Relations that a record does not show by default stay unchanged if the body leaves them out: ${named(besides)}.`,
    removal(resource, 'replace'),
  )
}

function patch(resource: Resource): string {
  const one = resource.owns.filter((owns) => !owns.many)
  const many = resource.owns.filter((owns) => owns.many)
  return sentences(
    'Changes only the properties in the body.',
    one.length > 0 && `An owned record is changed, or created if there is none: ${named(one)}.`,
    many.length > 0 && `Owned records with \`id\` are changed, those without are created: ${named(many)}.`,
    resource.links.length > 0 && `Links to the listed records are added: ${named(resource.links)}.`,
    removal(resource, 'patch'),
  )
}

function removal(resource: Resource, operation: UpdateOperation): string | false {
  const refuses = refusesRemoval(resource, operation)
  return refuses.length > 0 && `Refused with 409 if it removes a record that is still needed by ${paths(refuses)}.`
}

function remove(resource: Resource, owner: Owns | undefined): string {
  const { goes, refuses, cleared, dropped } = consequencesOfDelete(resource)
  const it = goes.length > 0 ? 'any of them' : 'it'
  return sentences(
    goes.length > 0 &&
      `Deletes the record and everything that it owns, to any depth: ${goes.map((gone) => code(gone.key)).join(', ')}.`,
    refuses.length > 0 && `Refused with 409 as long as another record needs ${it}: ${paths(refuses)}.`,
    cleared.length > 0 && `Foreign keys to ${it} become null: ${paths(cleared)}.`,
    dropped.length > 0 && `Links to ${it} are removed: ${paths(dropped)}.`,
    owner?.required === true && `Refused with 409, as ${withArticle(owner.source.key)} record cannot be without it.`,
  )
}

function needs(resource: Resource): (Reference | Link)[] {
  return [
    ...resource.references.filter(({ nullable, setByRule }) => !nullable && !setByRule),
    ...resource.links.filter(({ needs }) => needs),
  ]
}

function named(relations: readonly { readonly name: string }[]): string {
  return relations.map((relation) => code(relation.name)).join(', ')
}

function paths(relations: readonly (Reference | Link)[]): string {
  return relations.map((relation) => code(`${relation.source.key}.${relation.name}`)).join(', ')
}

function code(text: string): string {
  return `\`${text}\``
}

/** What a delete does to related records, to any depth. */
interface Consequences {
  /** The resources whose records go with it. */
  readonly goes: readonly Resource[]
  /** The relations whose records refuse it. */
  readonly refuses: readonly (Reference | Link)[]
  /** The foreign keys that become null. */
  readonly cleared: readonly Reference[]
  /** The associations that are dropped, their records staying. */
  readonly dropped: readonly Link[]
}

/** What deleting a record of this resource does to related ones. */
function consequencesOfDelete(resource: Resource): Consequences {
  const deleted = ownedTree(resource)
  const references = deleted.flatMap((gone) => gone.referencedBy)
  const links = deleted.flatMap((gone) => gone.linkedBy)
  return {
    goes: resource.recursive.length > 0 ? deleted : deleted.slice(1),
    refuses: [...references, ...links].filter((relation) => relation.needs),
    cleared: references.filter((reference) => !reference.needs),
    dropped: links.filter((link) => !link.needs),
  }
}

/** The relations that can refuse what PUT or PATCH of this resource removes, at any depth of the owned tree. */
function refusesRemoval(resource: Resource, operation: UpdateOperation): readonly (Reference | Link)[] {
  const owned = ownedTree(resource).flatMap((owner) => owner.owns)
  const removable = owned.filter((owns) => !owns.required && (operation === 'replace' || !owns.many))
  return [...new Set(removable.flatMap((owns) => consequencesOfDelete(owns.target).refuses))]
}

/**
 * The operations as routes. `group` is a list of groups, `createWithId` is POST with the id in the path,
 * `replaceWithId` is PUT with the id in the body. `patchMany` and `deleteMany` are PATCH and DELETE of records of a
 * list. `longList` and `longGroup` have the query in the body. `deleted` is the list of deleted records, and
 * `deletedOne` one of them.
 */
export type RouteKind =
  | Exclude<Operation, HistoryOperation>
  | 'group'
  | 'createWithId'
  | 'replaceWithId'
  | 'patchMany'
  | 'deleteMany'
  | 'deletedOne'
  | 'longList'
  | 'longGroup'

/** The operations on the links of a record as routes: the page of related records, and to add and to remove one
 * link. */
export type LinkRouteKind = 'linked' | 'link' | 'unlink'

/** The routes of a collection, by method. HEAD works wherever GET does. */
export const COLLECTION_ROUTES = {
  get: 'list',
  post: 'create',
  put: 'replaceWithId',
  patch: 'patchMany',
  delete: 'deleteMany',
} as const

/** The route of the groups of a collection. */
export const GROUP_ROUTES = { get: 'group', post: 'longGroup' } as const

/** The route of a collection whose query is too long for a URL. */
export const LONG_LIST_ROUTES = { post: 'longList' } as const

/** The routes of a record, by method. */
export const RECORD_ROUTES = {
  get: 'findOne',
  post: 'createWithId',
  put: 'replace',
  patch: 'patch',
  delete: 'delete',
} as const

/** The routes of the deleted records of a collection, of one of them, and of one that comes back. */
export const DELETED_ROUTES = { get: 'deleted' } as const
export const DELETED_RECORD_ROUTES = { get: 'deletedOne', delete: 'purge' } as const
export const RESTORE_ROUTES = { post: 'restore' } as const

export function operationOf(kind: RouteKind | LinkRouteKind): Operation {
  switch (kind) {
    case 'createWithId':
      return 'create'
    case 'replaceWithId':
      return 'replace'
    case 'patchMany':
      return 'patch'
    case 'deleteMany':
      return 'delete'
    case 'group':
    case 'longList':
    case 'longGroup':
      return 'list'
    case 'deletedOne':
      return 'deleted'
    case 'linked':
      return 'findOne'
    case 'link':
    case 'unlink':
      return 'patch'
    default:
      return kind
  }
}

/** PATCH and DELETE of records of a list. */
export function isOfMany(kind: RouteKind): boolean {
  return kind === 'patchMany' || kind === 'deleteMany'
}

/** POST, which answers 201. */
export function isCreation(kind: RouteKind | LinkRouteKind): boolean {
  return kind === 'create' || kind === 'createWithId'
}

/** PUT, PATCH, and what brings a record back: they answer with the record as they leave it. */
export function isUpdate(kind: RouteKind | LinkRouteKind): boolean {
  return !isOfLink(kind) && ['replace', 'patch', 'restore'].includes(operationOf(kind))
}

function isOfLink(kind: RouteKind | LinkRouteKind): boolean {
  return kind === 'linked' || kind === 'link' || kind === 'unlink'
}

/** Whether the operation is refused with 428 if it has no `If-Match`. */
export function requiresIfMatch(kind: RouteKind | LinkRouteKind, { ifMatch }: Resource): boolean {
  return ifMatch === 'required' && ['replace', 'patch', 'delete', 'purge'].includes(operationOf(kind))
}

/**
 * The name of a route's operation, e.g. `book.list`, or `book.chapters.create` below an owner: the topmost resource,
 * the relations down the path, the route's kind. That of HEAD is `book.listHead`. No two routes of a model have the
 * same name.
 */
export function operationId(kind: RouteKind, method: Method, { path, owners }: Mount, idPrefix = ''): string {
  const root = owners[0]?.owns.source ?? path.resource
  const names = [root.key, ...owners.map(({ owns }) => owns.name), method === 'head' ? `${kind}Head` : kind]
  return idPrefix + names.map(safeName).join('.')
}
