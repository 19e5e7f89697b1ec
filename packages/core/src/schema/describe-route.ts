import { withArticle } from '../errors.ts'
import type { Link, Owns, Reference, Resource } from '../model/model.ts'
import type { UpdateOperation } from '../model/operations.ts'
import { consequencesOfDelete, refusesRemoval } from './consequences.ts'
import type { Mount } from './mount.ts'
import type { RouteKind } from './route-kind.ts'

const TITLES: Readonly<Record<RouteKind, (record: string) => string>> = {
  list: (record) => `List ${record} records`,
  findOne: (record) => `Read one ${record} record`,
  create: (record) => `Create one ${record} record`,
  createWithId: (record) => `Create one ${record} record under a given id`,
  replace: (record) => `Replace one ${record} record`,
  replaceWithId: (record) => `Replace one ${record} record, the id in the body`,
  patch: (record) => `Change one ${record} record`,
  delete: (record) => `Delete one ${record} record`,
}

/** What the operation does, in a few words. */
export function summaryOf(kind: RouteKind, mount: Mount): string {
  const title = TITLES[kind](mount.place.resource.key)
  const owner = mount.owners.at(-1)?.owns
  if (owner === undefined) return title
  // Where an owner has the same kind of records twice, only the relation tells them apart.
  const hasSeveral = owner.source.owns.filter((other) => other.target === owner.target).length > 1
  return `${title} of one ${owner.source.key}${hasSeveral ? ` (${owner.name})` : ''}`
}

/** What the operation does to the record and those related to it, in a sentence or a few. */
export function descriptionOf(kind: RouteKind, mount: Mount): string {
  const owner = mount.owners.at(-1)?.owns
  switch (kind) {
    case 'list':
      return sentences('Ordered by id.', shows(mount.place.resource))
    case 'findOne':
      return sentences('Answers the record.', shows(mount.place.resource))
    case 'create':
    case 'createWithId':
      return create(kind, mount.place.resource, owner)
    case 'replace':
    case 'replaceWithId':
      return replace(mount.place.resource)
    case 'patch':
      return patch(mount.place.resource)
    case 'delete':
      return remove(mount.place.resource, owner)
  }
}

function shows(resource: Resource): string {
  const related = [...resource.references, ...resource.links]
  return sentences(
    resource.owns.length > 0 && `Shows what the record owns in full: ${named(resource.owns)}.`,
    related.length > 0 && `Of the records that it needs or knows, shows the id and plain fields: ${named(related)}.`,
  )
}

function create(kind: RouteKind, resource: Resource, owner: Owns | undefined): string {
  const needed = needs(resource)
  return sentences(
    resource.owns.length > 0
      ? `Creates the record together with what it owns: ${named(resource.owns)}.`
      : 'Creates the record.',
    needed.length > 0 && `It must name the existing records that it needs: ${named(needed)}.`,
    kind === 'createWithId' && 'Refused with 409 if the id is taken.',
    owner?.many === false && `Refused with 409 if the ${owner.source.key} has one already.`,
  )
}

function replace(resource: Resource): string {
  const one = resource.owns.filter((owns) => !owns.many)
  const many = resource.owns.filter((owns) => owns.many)
  return sentences(
    'Sets the whole record: what is left out becomes its default or null, or the request is refused.',
    one.length > 0 && `The owned record keeps its id, and is created or removed as the body says: ${named(one)}.`,
    many.length > 0 &&
      `Owned records with \`id\` are set in full, those without are created, all others are removed: ${named(many)}.`,
    resource.links.length > 0 && `Exactly the listed records are associated from then on: ${named(resource.links)}.`,
    removal(resource, 'replace'),
  )
}

function patch(resource: Resource): string {
  const one = resource.owns.filter((owns) => !owns.many)
  const many = resource.owns.filter((owns) => owns.many)
  return sentences(
    'Changes what the body lists and nothing else.',
    one.length > 0 && `The owned record is changed, or created if there is none: ${named(one)}.`,
    many.length > 0 && `Owned records with \`id\` are changed, those without are added: ${named(many)}.`,
    resource.links.length > 0 && `Listed records are associated too: ${named(resource.links)}.`,
    removal(resource, 'patch'),
  )
}

function removal(resource: Resource, operation: UpdateOperation): string | false {
  const refuses = refusesRemoval(resource, operation)
  return refuses.length > 0 && `Refused with 409 if it removes a record that is still needed through ${paths(refuses)}.`
}

function remove(resource: Resource, owner: Owns | undefined): string {
  const { goes, refuses, cleared, dropped } = consequencesOfDelete(resource)
  const deleted = goes.length > 0 ? 'what is deleted' : 'the record'
  return sentences(
    goes.length > 0
      ? `Deletes the record and everything that it owns, to any depth: ${goes.map((gone) => code(gone.key)).join(', ')}.`
      : 'Deletes the record.',
    refuses.length > 0 && `Refused with 409 as long as another record needs ${deleted}, through ${paths(refuses)}.`,
    cleared.length > 0 && `Records that know ${deleted} stay, with null: ${paths(cleared)}.`,
    dropped.length > 0 && `Records that know ${deleted} stay, without it: ${paths(dropped)}.`,
    owner?.required === true && `Refused with 409: ${withArticle(owner.source.key)} cannot be without it.`,
  )
}

function needs(resource: Resource): (Reference | Link)[] {
  return [...resource.references.filter(({ nullable }) => !nullable), ...resource.links.filter(({ needs }) => needs)]
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

function sentences(...parts: readonly (string | false)[]): string {
  return parts.filter((part) => part !== false && part !== '').join(' ')
}
