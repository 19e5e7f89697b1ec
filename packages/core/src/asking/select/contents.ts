import type { Relation, Resource, SingleValue } from '../../model/model.ts'
import { type Condition, EVERYTHING, shapeOf } from '../condition.ts'
import { type SortedBy, type SortKey, sortShape } from '../sort-key.ts'

/** What a query asks for in the records at one path of an answer. The rest is as without a query. */
export interface Contents {
  /** The values to show beside the id; undefined: those that such a record shows otherwise. */
  readonly values: ReadonlySet<SingleValue> | undefined
  /** The numbers of related records to show, by the names that they have in the record. */
  readonly counts: ReadonlyMap<string, Counted>
  /** The contents of related records, all of which are shown. */
  readonly related: ReadonlyMap<Relation, Contents>
  /** Relations that are not shown, although such a record shows them otherwise. */
  readonly leftOut: ReadonlySet<Relation>
  /** Which records an array has. */
  readonly rows: NestedQuery
}

export type Counted = Extract<SortedBy, { kind: 'count' }>

export interface NestedQuery {
  /** How many at most; undefined: all. */
  readonly limit: number | undefined
  readonly condition: Condition
  readonly sort: readonly SortKey[]
}

const ALL_ROWS: NestedQuery = Object.freeze({ limit: undefined, condition: EVERYTHING, sort: [] })

/** Contents while a query is read. */
export interface ContentsDraft extends Contents {
  values: Set<SingleValue> | undefined
  readonly counts: Map<string, Counted>
  readonly related: Map<Relation, ContentsDraft>
  readonly leftOut: Set<Relation>
  rows: NestedQuery
}

export function emptyContents(): ContentsDraft {
  return { values: undefined, counts: new Map(), related: new Map(), leftOut: new Set(), rows: ALL_ROWS }
}

function behind({ related }: ContentsDraft, relation: Relation): ContentsDraft {
  const known = related.get(relation)
  if (known !== undefined) return known
  const contents = emptyContents()
  related.set(relation, contents)
  return contents
}

/**
 * How much of a record shows where a query does not say: of the records that are asked for, and of what a record owns,
 * all that they carry by default; of other related records only their fields.
 */
export type Extent = 'whole' | 'summary'

export function extentBehind({ kind }: Relation): Extent {
  return kind === 'owns' ? 'whole' : 'summary'
}

/** Whether a record shows the relation where a query does not say. */
export function isCarried(relation: Relation, extent: Extent): boolean {
  return extent === 'whole' && relation.kind !== 'ownedBy' && relation.kind !== 'neededBy' && relation.carried
}

/** Where a path of a query is, on its way through the records of an answer. */
export interface PartDraft {
  readonly resource: Resource
  readonly contents: ContentsDraft
  readonly extent: Extent
}

/** The records that are asked for. */
export function topPart(resource: Resource, contents: ContentsDraft): PartDraft {
  return { resource, contents, extent: 'whole' }
}

/** The records at the other end of a relation: from now on they are shown. */
export function partBehind({ contents }: PartDraft, relation: Relation): PartDraft {
  return { resource: relation.target, contents: behind(contents, relation), extent: extentBehind(relation) }
}

/** What a query says of nested arrays, by the paths to them. */
export function nestedRows(
  { rows, related }: Contents,
  path = '',
  found: Map<string, NestedQuery> = new Map(),
): ReadonlyMap<string, NestedQuery> {
  if (rows !== ALL_ROWS) found.set(path, rows)
  for (const [relation, contents] of related) nestedRows(contents, pathTo(path, relation), found)
  return found
}

export function pathTo(path: string, { name }: Relation): string {
  return path === '' ? name : `${path}.${name}`
}

/** Equal for contents that differ only in the values that conditions compare with. `hidden`: what none of them
 * shows. */
export function contentsShape(contents: Contents, hidden: ReadonlySet<Resource>): string {
  const without = [...hidden].map(({ key }) => ` -${key}`).sort()
  return `${contentsOnlyShape(contents)}${without.join('')}`
}

function contentsOnlyShape({ values, counts, related, leftOut, rows }: Contents): string {
  const shown = values === undefined ? '*' : sorted([...values].map(({ property }) => property))
  const inside = [...related].map(([{ name }, contents]) => `${name}${contentsOnlyShape(contents)}`)
  const left = [...leftOut].map(({ name }) => name)
  const which = rows === ALL_ROWS ? '' : ` ${rows.limit} ${shapeOf(rows.condition)} ${sortShape(rows.sort)}`
  return `{${shown} ${sorted([...counts.keys()])} ${sorted(inside)} ${sorted(left)}${which}}`
}

function sorted(names: readonly string[]): string {
  return [...names].sort().join()
}
