import {
  type Link,
  type Mount,
  type Owns,
  type Reference,
  type Resource,
  type UpdateOperation,
  withArticle,
} from '@fastify-crud/core/internal'
import type { Method } from '../components/openapi-document.ts'
import { sentences } from '../sentences.ts'
import { consequencesOfDelete, refusesRemoval } from './consequences.ts'
import type { RouteKind } from './route-kind.ts'

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
}

const BY_FILTER =
  'All that match the filter. `Prefer: max-affected=N` is required: if more than N records would change, none does.'
const PATCH_MANY = `An array changes the records whose ids it has. One object is for all that match the filter, with \`Prefer: max-affected=N\`: if more than N records would change, none does.`

/** What the operation does, in a few words. */
export function summaryOf(kind: RouteKind, method: Method, mount: Mount): string {
  const title = `${TITLES[kind](mount.path.resource.key)}${method === 'head' ? ', headers only' : ''}`
  const owner = mount.owners.at(-1)?.owns
  if (owner === undefined) return title
  // Where an owner has the same kind of records twice, only the relation tells them apart.
  const hasSeveral = owner.source.owns.filter((other) => other.target === owner.target).length > 1
  return `${title} of one ${owner.source.key}${hasSeveral ? ` (${owner.name})` : ''}`
}

/** What the operation does to the record and those related to it, in a sentence or a few. Empty where the summary says it all. */
export function descriptionOf(kind: RouteKind, method: Method, mount: Mount): string {
  if (method === 'head') return ''
  const owner = mount.owners.at(-1)?.owns
  const { resource } = mount.path
  switch (kind) {
    case 'list':
    case 'group':
    case 'createWithId':
    case 'replaceWithId':
      return ''
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
