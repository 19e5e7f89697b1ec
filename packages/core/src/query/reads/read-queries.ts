import { sql } from 'kysely'
import type { CollectionPath } from '../../model/collection-path.ts'
import type { Resource } from '../../model/model.ts'
import type { RecordOwner } from '../../plan/record-owner.ts'
import type { QueryContext } from '../context.ts'
import type { Pipelining } from '../dialect/dialect.ts'
import { idSlot, idSqlOf } from '../id-sql-of.ts'
import { type Prepared, prepare, type Row } from '../prepare.ts'
import { shownRows, storedRows } from '../source.ts'
import { column, join, type Sql, slot } from '../sql-text.ts'
import { keptId } from '../steps/new-ids.ts'
import { answerQuery } from './answer-size.ts'
import { jsonArrayOfSortedQuery, jsonObject } from './json-text.ts'
import { ancestors, listedAt, livesAt, ownerSlot, ownersExist, UP } from './path-condition.ts'
import { recordJson } from './record-json.ts'
import { type Selection, wholeRecord } from './selection.ts'
import { summarySizeOf, total } from './summary-size.ts'

const ALIAS = 't0'

/** One record of a path as JSON text, in the column `json`; no row if there is none with the id (slot `id`). */
export function recordQuery(context: QueryContext, path: CollectionPath, selection: Selection): Prepared {
  return prepare(context.db, answerAt(context, path, idSlot(context, path.resource), selection))
}

/** The same for the record whose id was kept in this transaction. */
export function keptRecordQuery(context: QueryContext, path: CollectionPath): Prepared {
  return prepare(context.db, answerAt(context, path, keptId(context, path.resource), wholeRecord(path.resource)))
}

/** Fails unless the whole record is still the same (slots `id`, `json`). */
export function unchangedQuery(context: QueryContext, path: CollectionPath, pipelining: Pipelining): Prepared {
  const json = recordJson(context, wholeRecord(path.resource), ALIAS)
  const record = sql`select ${json} as json ${fromPath(context, path, idSlot(context, path.resource))}`
  return prepare(context.db, pipelining.failUnlessSame(record, slot('json')))
}

function answerAt(context: QueryContext, path: CollectionPath, id: Sql, selection: Selection): Sql {
  const json = recordJson(context, selection, ALIAS)
  return answerQuery(context, json, summarySizeOf(context, selection, ALIAS), fromPath(context, path, id))
}

function fromPath(context: QueryContext, path: CollectionPath, id: Sql): Sql {
  return shownRows(context, path.resource, ALIAS).from(livesAt(context, path, ALIAS, id))
}

/**
 * One page of a path and the count of all its records, as JSON text `{"rows":[…],"count":n}` in the column `json`
 * (slots `limit`, `offset`); the column is null if one of the owners does not exist.
 */
export function pageQuery(context: QueryContext, path: CollectionPath): Prepared {
  const { dialect } = context
  const { selection, conditions, order } = wholeList(context, path)
  const source = shownRows(context, selection.resource, ALIAS)
  const id = column(ALIAS, selection.resource.idColumn)
  // Whole rows, not their JSON: PostgreSQL would build the JSON of the rows before the page, too.
  const page = dialect.page({ source, conditions, id, order, limit: slot('limit'), offset: slot('offset') })
  const json = recordJson(context, selection, ALIAS)
  const fromPage = sql`from (${page}) as ${sql.id(ALIAS)}`
  const rows = sql`(${jsonArrayOfSortedQuery(json, fromPage)})`
  const count = sql`(select count(*) ${source.from(...conditions)})`
  const answer = jsonObject([
    ['rows', rows],
    ['count', count],
  ])
  const ifListed =
    path.relations.length === 0 ? answer : sql`case when ${ownersExist(context, path)} then ${answer} end`
  // The trees of the rows are not measured first on PostgreSQL: the query would look so expensive that PostgreSQL compiles it
  // (JIT) at each execution. It builds the answer in its own process, and measures it before it sends it.
  const size = summarySizeOf(context, selection, ALIAS, !dialect.sendsAnswers)
  return prepare(context.db, answerQuery(context, ifListed, size && total(size, fromPage)))
}

/** What a list shows. */
interface List {
  /** Of each record. */
  readonly selection: Selection
  /** Which records it has. */
  readonly conditions: readonly Sql[]
  readonly order: readonly Sql[]
}

/** Whole records, all that the path has, by their ids. */
function wholeList(context: QueryContext, path: CollectionPath): List {
  const { resource } = path
  return {
    selection: wholeRecord(resource),
    conditions: listedAt(context, path, ALIAS),
    order: [idSqlOf(context, resource).order(column(ALIAS, resource.idColumn))],
  }
}

/**
 * What has to be known of a path before a record is added (slot `id` if the request asks for an id): one row with
 * `owners` (they exist), `occupied` (its owner has its one record already), `taken` (the id is).
 */
export function vacancyQuery(context: QueryContext, path: CollectionPath, withId: boolean): Prepared {
  const { resource, relations } = path
  const rows = storedRows(context, resource, ALIAS)
  const level = relations.length - 1
  const owns = relations[level]
  const exists = (condition: Sql) => sql`exists (select 1 ${rows.from(condition)})`
  const isOccupied =
    owns === undefined || owns.many
      ? sql`false`
      : exists(sql`${column(ALIAS, owns.inverse.column)} = ${ownerSlot(context, owns, level)}`)
  const idTaken = withId ? exists(sql`${column(ALIAS, resource.idColumn)} = ${idSlot(context, resource)}`) : sql`false`
  return prepare(
    context.db,
    sql`select ${ownersExist(context, path)} as owners, ${isOccupied} as occupied, ${idTaken} as taken`,
  )
}

/** Finds the owner of a record. */
export interface OwnersQuery {
  /** One row of the record (slot `id`): its foreign keys in the order of `ownedBy`. */
  readonly query: Prepared
  /** Reads the row; undefined if no foreign key names an owner. */
  toOwner(row: Row): RecordOwner | undefined
}

export function ownersQuery(context: QueryContext, resource: Resource): OwnersQuery {
  const keys = resource.ownedBy.map((owner, index) => sql`${sql.id(owner.column)} as ${sql.id(`owner${index}`)}`)
  const hasId = sql`${sql.id(resource.idColumn)} = ${idSlot(context, resource)}`
  return {
    query: prepare(context.db, sql`select ${join(keys)} ${storedRows(context, resource).from(hasId)}`),
    toOwner(row) {
      for (const [index, value] of Object.values(row).entries()) {
        const by = resource.ownedBy[index]
        if (by !== undefined && value !== null) return { by, id: idSqlOf(context, by.target).fromDriver(value) }
      }
      return undefined
    },
  }
}

/**
 * Locks the topmost owner of a path, or the record itself at the top, against other writers (slot `id`). Not against
 * those whose foreign keys merely name it: these would wait for each other in circles.
 */
export function lockQuery(context: QueryContext, resource: Resource): Prepared {
  const given = idSlot(context, resource)
  const id = resource.recursive.length === 0 ? given : topmost(context, resource, given)
  const record = storedRows(context, resource, ALIAS).from(sql`${column(ALIAS, resource.idColumn)} = ${id}`)
  return prepare(context.db, sql`select 1 ${record} for no key update`)
}

function topmost(context: QueryContext, resource: Resource, id: Sql): Sql {
  const hasNone = resource.recursive.map((owns) => sql`${column(UP, owns.inverse.column)} is null`)
  return sql`(${ancestors(context, resource, id)} select ${column(UP, resource.idColumn)} from ${sql.id(UP)} where ${join(hasNone, sql` and `)})`
}
