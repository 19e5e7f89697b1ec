import { sql } from 'kysely'
import type { RowAction } from '../../asking/policies/rights.ts'
import type { Selection } from '../../asking/select/selection.ts'
import { selection, wholeRecordAt } from '../../asking/select/selections.ts'
import { type CollectionPath, namesNoOwner } from '../../model/collection-path.ts'
import { idFormIn } from '../../model/ids/short-id.ts'
import type { Owns, Resource } from '../../model/model.ts'
import { onceFor } from '../../model/once-for.ts'
import { ownedTree } from '../../model/resource-tree.ts'
import type { RecordOwner } from '../../planning/rows.ts'
import { contextAt, ofHeld, type QueryContext } from '../context.ts'
import { CHANGED, type Pipelining, ROW_INDEX, type RowLock } from '../dialect/dialect.ts'
import { amongIds, livesAt, numberedIds, type OwnerIds, ownerSlot, ownersExist } from '../rows/path-condition.ts'
import { ANCESTOR, ancestors, mayWrite, UP, visibleBelow, visibleRows } from '../rows/visible-rows.ts'
import { keptId } from '../steps/reserved-ids.ts'
import { idSlot, idSqlOf, rowId } from '../text/member-id-sql.ts'
import { type Prepared, prepare, type Row } from '../text/prepare.ts'
import { column, constant, join, LISTED, type Sql, slot } from '../text/sql-text.ts'
import { storedRows, tableRows } from '../text/stored-rows.ts'
import { jsonArrayQuery, jsonTuple } from './json-text.ts'
import { ownerIdQuery } from './owners-query.ts'
import { recordJson } from './record-json.ts'
import { answerQuery, summarySizeOf } from './summary-size.ts'

const ALIAS = LISTED

/** Stands for a record that a policy does not allow to be written. No JSON object begins like this. */
export const FORBIDDEN = 'forbidden'

/**
 * One record of a path as JSON text, in the column `json`; no row if there is none with the id (slot `id`). With an
 * action: {@link FORBIDDEN} if a policy does not allow it.
 */
export function recordQuery(
  storeContext: QueryContext,
  path: CollectionPath,
  selection: Selection,
  action: RowAction | undefined,
): Prepared {
  const context = contextAt(storeContext, path)
  const asked = path.kept?.asks ?? action
  return prepare(context.db, answerAt(context, path, idSlot(context, path.resource), selection, asked))
}

/** The whole record in the column `json`, as {@link recordQuery} gives it, and another selection of it in `state`. */
export function recordAndStateQuery(
  context: QueryContext,
  path: CollectionPath,
  state: Selection,
  action: RowAction,
): Prepared {
  const id = idSlot(context, path.resource)
  const ofWhole = answerAt(context, path, id, wholeRecordAt(path, context.fieldRights), action)
  const ofState = answerAt(context, path, id, state)
  const [whole, other] = [sql.id('crud_whole'), sql.id('crud_state')]
  return prepare(
    context.db,
    sql`select ${whole}.json as json, ${other}.json as state from (${ofWhole}) as ${whole}, (${ofState}) as ${other}`,
  )
}

/** The same for the record whose id was kept in this transaction. */
export function keptRecordQuery(context: QueryContext, path: CollectionPath): Prepared {
  const whole = wholeRecordAt(path, context.fieldRights)
  return prepare(context.db, answerAt(context, path, keptId(context, path.resource), whole))
}

/** Fails unless what {@link recordQuery} gives is still the same (slots `id`, `json`). */
export function unchangedQuery(
  context: QueryContext,
  path: CollectionPath,
  selection: Selection,
  action: RowAction | undefined,
  pipelining: Pipelining,
): Prepared {
  const json = allowedJson(context, path, selection, action)
  const record = sql`select ${json} as json ${fromPath(context, path, idSlot(context, path.resource))}`
  return prepare(context.db, pipelining.failUnlessSame(record, slot('json'), CHANGED))
}

/** A query of one record of a path, whose id is an expression. */
export function answerAt(
  context: QueryContext,
  path: CollectionPath,
  id: Sql,
  selection: Selection,
  action?: RowAction,
): Sql {
  const json = allowedJson(context, path, selection, action)
  return answerQuery(context, json, summarySizeOf(context, selection, ALIAS), fromPath(context, path, id))
}

/** The JSON of a record of a path. With an action: {@link FORBIDDEN} if a policy does not allow it. */
export function allowedJson(
  context: QueryContext,
  path: CollectionPath,
  selection: Selection,
  action: RowAction | undefined,
): Sql {
  const within = selection.ignoresPolicies ? { ...context, rights: undefined } : context
  const json = recordJson(within, selection, ALIAS, idFormIn(path))
  const isAllowed = action && mayWrite(context, path.resource, action, ALIAS)
  return isAllowed === undefined ? json : sql`case when ${isAllowed} then ${json} else ${constant(FORBIDDEN)} end`
}

function fromPath(context: QueryContext, path: CollectionPath, id: Sql): Sql {
  const isKept = path.kept !== undefined
  const rows = namesNoOwner(path) || isKept ? visibleRows : visibleBelow
  // Owners may be deleted, too. Whether they are shown is asked with the record.
  const ofOwners = isKept ? ofHeld({ ...context, rights: undefined }) : context
  return rows(context, path.resource, ALIAS).from(livesAt(ofOwners, path, ALIAS, id))
}

/**
 * What has to be known of a path before a record is added (slot `id` if the request asks for an id): one row with
 * `owners` (they exist), `allowed` (the owner's policy lets it get a record that has no policy of its own), `occupied`
 * (its owner has its one record already), `taken` (the id is).
 */
export function vacancyQuery(context: QueryContext, path: CollectionPath, withId: boolean): Prepared {
  const { resource } = path
  const hasId = sql`${rowId(resource, ALIAS)} = ${idSlot(context, resource)}`
  const idTaken = withId ? sql`exists (select 1 ${tableRows(context, resource, ALIAS).from(hasId)})` : sql`false`
  const { areThere, isAllowed, isOccupied } = vacancyAt(context, path, ownerSlot)
  return prepare(
    context.db,
    sql`select ${areThere} as owners, ${isAllowed} as allowed, ${isOccupied} as occupied, ${idTaken} as taken`,
  )
}

/**
 * The same of many owners at the end of a path, whose own owners are those that the tables have: JSON in the column
 * `json` that has for each the index of its id, `owners`, `allowed` and `occupied` (slot `ids`, which `encodeList`
 * makes).
 */
export function vacanciesQuery(context: QueryContext, path: CollectionPath): Prepared {
  const [nearest, ...others] = path.relations.toReversed() as [Owns, ...Owns[]]
  const ids: Sql[] = [column('x', 'id')]
  for (const owns of others) ids.push(ownerIdQuery(context, owns.inverse, ids.at(-1) as Sql))
  const [all, index] = [sql.id(OWNERS), sql.id(ROW_INDEX)]
  const named = ids.toReversed().map((id, level) => sql`${id} as ${sql.id(`owner${level}`)}`)
  const chains = sql`select ${index}, ${join(named)} from ${numberedIds(context, nearest.source, slot('ids'))}`
  const { areThere, isAllowed, isOccupied } = vacancyAt(context, path, (_, _owns, level) =>
    column(OWNERS, `owner${level}`),
  )
  const item = jsonTuple([index, sql`(${areThere})`, isAllowed, isOccupied])
  const vacancies = jsonArrayQuery(item, sql`from ${all}`, index)
  return prepare(context.db, sql`with ${all} as materialized (${chains}) select (${vacancies}) as json`)
}

const OWNERS = 'crud_owners'

function vacancyAt(context: QueryContext, path: CollectionPath, ownerId: OwnerIds) {
  const { resource, relations } = path
  const level = relations.length - 1
  const owns = relations[level]
  const isOwned = (one: Owns) => sql`${column(ALIAS, one.inverse.column)} = ${ownerId(context, one, level)}`
  const isOccupied =
    owns === undefined || owns.many
      ? sql`false`
      : sql`exists (select 1 ${storedRows(context, resource, ALIAS).from(isOwned(owns))})`
  return {
    areThere: ownersExist(context, path, ownerId),
    isAllowed: mayGetMore(context, path, ownerId),
    isOccupied,
  }
}

function mayGetMore(context: QueryContext, { resource, relations }: CollectionPath, ownerId: OwnerIds): Sql {
  const level = relations.length - 1
  const owns = relations[level]
  if (owns === undefined || context.rights?.rules.has(resource)) return sql`true`
  const isAllowed = mayWrite(context, owns.source, 'EditBefore', 'o')
  if (isAllowed === undefined) return sql`true`
  const isOwner = sql`${rowId(owns.source, 'o')} = ${ownerId(context, owns, level)}`
  return sql`exists (select 1 ${storedRows(context, owns.source, 'o').from(isOwner, isAllowed)})`
}

/** Finds the owner of a record. */
export interface OwnerQuery {
  /** One row of the record (slot `id`): its foreign keys in the order of `ownedBy`. */
  readonly query: Prepared
  /** Reads the row; undefined if no foreign key names an owner. */
  toOwner(row: Row): RecordOwner | undefined
}

export function ownerQuery(context: QueryContext, resource: Resource): OwnerQuery {
  const keys = resource.ownedBy.map((owner, index) => {
    const text = idSqlOf(context, owner.target).text(sql.id(owner.column))
    return sql`${text} as ${sql.id(`owner${index}`)}`
  })
  const hasId = sql`${rowId(resource)} = ${idSlot(context, resource)}`
  return {
    query: prepare(context.db, sql`select ${join(keys)} ${storedRows(context, resource).from(hasId)}`),
    toOwner(row) {
      for (const [index, value] of Object.values(row).entries()) {
        const by = resource.ownedBy[index]
        if (by !== undefined && value !== null) return { by, id: idSqlOf(context, by.target).fromText(value as string) }
      }
      return undefined
    },
  }
}

/** A statement that finds a row locked waits for it, or leaves it out. */
export type Waiting = 'waits' | 'skips'

const WAITING: Readonly<Record<Waiting, Sql>> = {
  waits: sql``,
  skips: sql` skip locked`,
}

/** The end of a statement that locks its rows, where the database has such locks. */
export function lockedBy({ dialect: { rowLocks } }: QueryContext, lock: RowLock, waiting: Waiting): Sql {
  return rowLocks === undefined ? sql`` : sql` ${rowLocks[lock]}${WAITING[waiting]}`
}

/**
 * Locks the topmost owner of a path, or the record itself at the top, against other writers (slot `id`). Not against
 * those whose foreign keys merely name it: these would wait for each other in circles.
 */
export function lockQuery(storeContext: QueryContext, resource: Resource, waiting: Waiting): Prepared {
  // A deleted record is locked to bring it back.
  const context = ofHeld(storeContext)
  const given = idSlot(context, resource)
  const id = resource.recursive.length === 0 ? given : topmost(context, resource, given)
  const record = storedRows(context, resource, ALIAS).from(sql`${rowId(resource, ALIAS)} = ${id}`)
  return prepare(context.db, sql`select 1 ${record}${lockedBy(context, 'for no key update', waiting)}`)
}

function topmost(context: QueryContext, resource: Resource, id: Sql): Sql {
  const hasNone = resource.recursive.map((owns) => sql`${column(UP, owns.inverse.column)} is null`)
  const up = ancestors(context, resource, id, storedRows(context, resource, ANCESTOR))
  return sql`(${up} select ${rowId(resource, UP)} from ${sql.id(UP)} where ${join(hasNone, sql` and `)})`
}

/** The links that a record shows with all that it owns, but for those that keep their order, which nobody adds to
 * without its lock: a selection for each resource that has some. */
export const linksShownIn: (resource: Resource) => readonly Selection[] = onceFor((resource) =>
  ownedTree(resource).flatMap((owned) => {
    const links = owned.links.filter(({ carried, order }) => carried && order === undefined)
    const properties = links.map((link) => ({ kind: 'link', link, records: undefined }) as const)
    return links.length === 0 ? [] : [selection({ resource: owned, ignoresPolicies: false, properties })]
  }),
)

/**
 * The whole record, as the statement `record` gives it. Fails with {@link CHANGED} unless rows have the links that are
 * expected: for each of {@link linksShownIn}, the rows with the ids in the slots `rows0`, `rows1` …, and the JSON of
 * all in the slot `links`. One statement reads both, so that they show one moment.
 */
export function answerWithLinksQuery(context: QueryContext, path: CollectionPath, pipelining: Pipelining): Prepared {
  const { resource } = path
  const links = linksShownIn(resource).map((one, index) => linksJson(context, one, slot(`rows${index}`)))
  const check = pipelining.failUnlessSame(sql`select ${jsonTuple(links)} as json`, slot('links'), CHANGED)
  const record = answerAt(context, path, idSlot(context, resource), wholeRecordAt(path, context.fieldRights))
  const [answer, checked] = [sql.id('crud_whole'), sql.id('crud_checked')]
  return prepare(
    context.db,
    sql`select ${answer}.json as json, ${checked}.${sql.id('same')} as same from (${record}) as ${answer} cross join (${check}) as ${checked}`,
  )
}

function linksJson(context: QueryContext, links: Selection, ids: Sql): Sql {
  const { resource } = links
  const rows = amongIds(context, resource, ids, storedRows(context, resource, 't'))
  const order = idSqlOf(context, resource).orderAsCompared(rowId(resource, 't'))
  return sql`(${jsonArrayQuery(recordJson(context, links, 't', 'whole'), sql`from ${rows}`, order)})`
}
