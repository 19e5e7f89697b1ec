import { sql } from 'kysely'
import type { Resource } from '../../model/model.ts'
import type { Place } from '../../model/place.ts'
import type { QueryContext } from '../context.ts'
import type { Ahead } from '../dialect/dialect.ts'
import { type Prepared, prepare } from '../prepare.ts'
import { column, join, type Sql, slot } from '../sql-text.ts'
import { keptId } from '../steps/new-ids.ts'
import { answerQuery } from './answer-size.ts'
import { jsonArrayOfSortedQuery, jsonObject } from './json-text.ts'
import { ancestors, livesAt, ownerSlot, ownersExist, UP, whereListedAt } from './place-condition.ts'
import { type Extent, recordJson } from './record-json.ts'
import { summarySizeOf, total } from './summary-size.ts'

const ALIAS = 't0'

/** One record of a place as JSON text, in the column `json`; no row if there is none with the id (slot `id`). */
export function recordQuery(context: QueryContext, place: Place, extent: Extent = 'whole'): Prepared {
  return prepare(context.db, answerAt(context, place, context.dialect.id(slot('id')), extent))
}

/** The same for the record whose id was kept in this transaction. */
export function keptRecordQuery(context: QueryContext, place: Place): Prepared {
  return prepare(context.db, answerAt(context, place, keptId(place.resource), 'whole'))
}

/** Fails unless {@link recordQuery} would still give the same (slots `id`, `json`). */
export function unchangedQuery(context: QueryContext, place: Place, ahead: Ahead): Prepared {
  const json = recordJson(context, place.resource, ALIAS, 'whole')
  const record = sql`select ${json} as json ${fromPlace(context, place, context.dialect.id(slot('id')))}`
  return prepare(context.db, ahead.failUnlessSame(record, slot('json')))
}

function answerAt(context: QueryContext, place: Place, id: Sql, extent: Extent): Sql {
  const { resource } = place
  const json = recordJson(context, resource, ALIAS, extent)
  const summarySize = extent === 'whole' ? summarySizeOf(context, resource, ALIAS) : undefined
  return answerQuery(context, json, summarySize, fromPlace(context, place, id))
}

function fromPlace(context: QueryContext, place: Place, id: Sql): Sql {
  const table = context.names.table(place.resource.table).sql
  return sql`from ${table} as ${sql.id(ALIAS)} where ${livesAt(context, place, ALIAS, id)}`
}

/**
 * One page of a place and the count of all its records, as JSON text `{"rows":[…],"count":n}` in the column `json`
 * (slots `limit`, `offset`); the column is null if one of the owners does not exist.
 */
export function pageQuery(context: QueryContext, place: Place): Prepared {
  const { dialect, names } = context
  const { resource } = place
  const table = sql`${names.table(resource.table).sql} as ${sql.id(ALIAS)}`
  const id = column(ALIAS, resource.idColumn)
  const where = whereListedAt(context, place, ALIAS)
  // Whole rows, not their JSON: PostgreSQL would make it of those that are passed over, too.
  const page = dialect.page({ table, where, id, limit: slot('limit'), offset: slot('offset') })
  const json = recordJson(context, resource, ALIAS, 'whole')
  const fromPage = sql`from (${page}) as ${sql.id(ALIAS)}`
  const rows = sql`(${jsonArrayOfSortedQuery(json, fromPage)})`
  const count = sql`(select count(*) from ${table}${where})`
  const answer = jsonObject([
    ['rows', rows],
    ['count', count],
  ])
  const ifListed = place.path.length === 0 ? answer : sql`case when ${ownersExist(context, place)} then ${answer} end`
  // With the trees of each row, PostgreSQL takes the query for so much work that it compiles it at each execution. It builds them
  // in its own process, and measures them before it sends them.
  const size = summarySizeOf(context, resource, ALIAS, !dialect.sendsAnswers)
  return prepare(context.db, answerQuery(context, ifListed, size && total(size, fromPage)))
}

/**
 * What has to be known of a place before a record is added (slot `id` if the request asks for an id): one row with
 * `owners` (they exist), `place` (its owner's one place is taken), `taken` (the id is).
 */
export function vacancyQuery(context: QueryContext, place: Place, withId: boolean): Prepared {
  const { dialect, names } = context
  const { resource, path } = place
  const table = names.table(resource.table).sql
  const level = path.length - 1
  const owns = path[level]
  const exists = (condition: Sql) => sql`exists (select 1 from ${table} as ${sql.id(ALIAS)} where ${condition})`
  const placeTaken =
    owns === undefined || owns.many
      ? sql`false`
      : exists(sql`${column(ALIAS, owns.inverse.column)} = ${ownerSlot(context, level)}`)
  const idTaken = withId ? exists(sql`${column(ALIAS, resource.idColumn)} = ${dialect.id(slot('id'))}`) : sql`false`
  return prepare(
    context.db,
    sql`select ${ownersExist(context, place)} as owners, ${placeTaken} as place, ${idTaken} as taken`,
  )
}

/** The owners of a record (slot `id`): one row, whose columns are the foreign keys in the order of `ownedBy`. */
export function ownersQuery({ db, dialect, names }: QueryContext, resource: Resource): Prepared {
  const keys = resource.ownedBy.map((owner, index) => sql`${sql.id(owner.column)} as ${sql.id(`owner${index}`)}`)
  return prepare(
    db,
    sql`select ${join(keys)} from ${names.table(resource.table).sql} where ${sql.id(resource.idColumn)} = ${dialect.id(slot('id'))}`,
  )
}

/**
 * Locks the topmost owner of a place, or the record itself at the top, against other writers (slot `id`). Not against
 * those whose foreign keys merely name it: these would wait for each other in circles.
 */
export function lockQuery(context: QueryContext, resource: Resource): Prepared {
  const { dialect, names } = context
  const given = dialect.id(slot('id'))
  const id = resource.recursive.length === 0 ? given : topmost(context, resource, given)
  return prepare(
    context.db,
    sql`select 1 from ${names.table(resource.table).sql} as ${sql.id(ALIAS)} where ${column(ALIAS, resource.idColumn)} = ${id} for no key update`,
  )
}

function topmost(context: QueryContext, resource: Resource, id: Sql): Sql {
  const hasNone = resource.recursive.map((owns) => sql`${column(UP, owns.inverse.column)} is null`)
  return sql`(${ancestors(context, resource, id)} select ${column(UP, resource.idColumn)} from ${sql.id(UP)} where ${join(hasNone, sql` and `)})`
}
