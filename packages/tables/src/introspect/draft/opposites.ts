import type { FoundResource, LinkTable, RelationDraft } from './draft.ts'
import { isUniqueAlone } from './draft-relations.ts'
import type { KeptTable } from './exclusions.ts'
import { oppositeName } from './names.ts'

/** Adds the other sides of all relations, and the links, to the resources. */
export function addOpposites(
  kept: ReadonlyMap<string, KeptTable>,
  resources: readonly FoundResource[],
  links: readonly LinkTable[],
): void {
  const byKey = new Map(resources.map((resource) => [resource.key, resource]))
  for (const source of resources) {
    const own = source.relations.filter(({ foreignKey }) => foreignKey !== undefined)
    for (const relation of own) {
      const target = byKey.get(relation.target) as FoundResource
      const isOnly =
        own.filter((other) => other.target === relation.target && other.relation !== 'knows.one').length === 1
      const opposite = oppositeOf(kept.get(source.table) as KeptTable, relation)
      if (opposite === undefined) continue
      const name = oppositeName(source.key, relation.name, isOnly, namesOf(target))
      const inverse = isOnly ? {} : { inverse: relation.name }
      target.relations.push({
        name,
        relation: opposite,
        target: source.key,
        options: inverse,
        foreignKey: undefined,
        note: undefined,
      })
    }
  }
  const byTable = new Map(resources.map((resource) => [resource.table, resource]))
  for (const link of links) {
    const isOnly = links.filter((other) => isBetween(other, link)).length === 1
    addLink(byTable, link, link.from, link.to, isOnly)
    addLink(byTable, link, link.to, link.from, isOnly)
  }
}

function oppositeOf(
  { table, id }: KeptTable,
  { relation, foreignKey, options }: RelationDraft,
): RelationDraft['relation'] | undefined {
  const column = foreignKey?.column ?? ''
  const isWholeId = id.members?.join() === column
  switch (relation) {
    case 'ownedBy':
      return isWholeId || isUniqueAlone(table, column) ? 'owns.one' : 'owns.many'
    case 'needs.one':
      return isWholeId || options.unique === true ? 'neededBy.one' : 'neededBy.many'
    default:
      return undefined
  }
}

function addLink(
  byTable: ReadonlyMap<string, FoundResource>,
  { table, from: first }: LinkTable,
  from: LinkTable['from'],
  to: LinkTable['to'],
  isOnly: boolean,
): void {
  const source = byTable.get(from.table) as FoundResource
  const target = byTable.get(to.table) as FoundResource
  const isSelf = source === target
  const name = oppositeName(target.key, isSelf ? to.column : table, isOnly && !isSelf, namesOf(source))
  source.relations.push({
    name,
    relation: 'knows.many',
    target: target.key,
    options: { through: table, from: from.column, to: to.column },
    foreignKey: undefined,
    note: from === first ? 'needs.many, where each record needs at least one' : undefined,
  })
}

function isBetween(link: LinkTable, { from, to }: LinkTable): boolean {
  const ends = [link.from.table, link.to.table]
  return (ends[0] === from.table && ends[1] === to.table) || (ends[0] === to.table && ends[1] === from.table)
}

function namesOf({ fields, relations }: FoundResource): ReadonlySet<string> {
  return new Set([
    'id',
    ...fields.map(({ name }) => name),
    ...relations.flatMap(({ name, foreignKey }) => (foreignKey === undefined ? [name] : [name, foreignKey.name])),
  ])
}
