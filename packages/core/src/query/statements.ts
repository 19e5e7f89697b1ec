import { sql } from 'kysely'
import type { Model, Resource } from '../model/model.ts'
import type { Place } from '../model/place.ts'
import type { Lookups } from '../plan/lookups.ts'
import type { QueryContext } from './context.ts'
import { type LookupQuery, lookupQuery } from './lookup-query.ts'
import { type Prepared, prepare } from './prepare.ts'
import { lockQuery, pageQuery, recordQuery, vacancyQuery } from './read-queries.ts'
import { slot } from './sql-text.ts'
import { type NumberedStep, type StepStatement, stepStatement } from './step-statements.ts'

/** Every statement that a model needs on one database, each compiled at its first use and kept. */
export interface Statements {
  record(place: Place): Prepared
  page(place: Place): Prepared
  vacancy(place: Place, withId: boolean): Prepared
  lock(resource: Resource): Prepared
  lookup(lookups: Lookups): LookupQuery
  step(step: NumberedStep): StepStatement
  /** Ids that no row has or had (slot `count`), and none up to slot `floor`, one a row, in the column `id`. */
  newIds(resource: Resource, hasSequences: boolean): Prepared
  /** Whether SQLite keeps the highest id that each table ever gave; undefined where every database does. */
  readonly sequences: Prepared | undefined
  /** Sees to it that an id which was not given by the database (slot `id`) is not given by it later. */
  skipId(resource: Resource): Prepared | undefined
  /** The same for all ids that are in use. */
  skipUsedIds(resource: Resource): Prepared | undefined
}

/** Bodies can ask for many combinations of changed columns; beyond this many kept statements, compiling starts over. */
const MOST_KEPT = 5_000

export function statementsOf(context: QueryContext, model: Model): Statements {
  const { db, dialect, names } = context
  const kept = new Map<string, Prepared>()
  const once = (name: string, build: () => Prepared): Prepared => {
    let statement = kept.get(name)
    if (statement === undefined) {
      if (kept.size >= MOST_KEPT) kept.clear()
      statement = build()
      kept.set(name, statement)
    }
    return statement
  }
  return {
    record: (place) => once(`record ${place.name}`, () => recordQuery(context, place)),
    page: (place) => once(`page ${place.name}`, () => pageQuery(context, place)),
    vacancy: (place, withId) => once(`vacancy ${place.name} ${withId}`, () => vacancyQuery(context, place, withId)),
    lock: (resource) => once(`lock ${resource.key}`, () => lockQuery(context, resource)),
    lookup: (lookups) => lookupQuery(context, lookups, once),
    step: (step) => stepStatement(context, model, step, once),
    newIds: (resource, hasSequences) =>
      once(`ids ${resource.key} ${hasSequences}`, () =>
        prepare(
          db,
          dialect.newIds(
            names.table(resource.table),
            names.column(resource.idColumn),
            slot('count'),
            slot('floor'),
            hasSequences,
          ),
        ),
      ),
    sequences: dialect.sequences && prepare(db, dialect.sequences),
    skipId(resource) {
      const statement = dialect.skipId(names.table(resource.table), names.column(resource.idColumn), slot('id'))
      return statement && once(`skip ${resource.key}`, () => prepare(db, statement))
    },
    skipUsedIds(resource) {
      const table = names.table(resource.table)
      const highest = sql`(select coalesce(max(${sql.id(resource.idColumn)}), 0) from ${table.sql})`
      const statement = dialect.skipId(table, names.column(resource.idColumn), highest)
      return statement && once(`skip used ${resource.key}`, () => prepare(db, statement))
    },
  }
}
