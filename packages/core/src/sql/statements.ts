import type { Id } from '../model/ids/id-kind.ts'
import type { Link, Owns, Reference, Resource } from '../model/model.ts'
import { type AskStates, stateQueries } from './checks/state-query.ts'
import type { QueryContext } from './context.ts'
import type { RowLock } from './dialect/dialect.ts'
import { type ReadStatements, readStatements } from './read-statements.ts'
import { deletedBelowQuery, deletedRecordQuery, needingDeletedQuery, undeletableQuery } from './reads/deleted-rows.ts'
import type { Waiting } from './reads/read-queries.ts'
import type { NoteUnshown } from './reads/read-unshown.ts'
import { lockRowsQuery, ownedQuery, type RowsAsked, type RowsQuery, rowsQueries } from './reads/rows-query.ts'
import { type HistoryQueries, historyQueries } from './steps/history-queries.ts'
import { type NumberQueries, numberQueries } from './steps/repeat-queries.ts'
import { idSqlOf } from './text/member-id-sql.ts'
import type { Prepared } from './text/prepare.ts'
import { type KeptCount, StatementCache, StatementMemory } from './text/statement-cache.ts'
import { type WriteStatements, writeStatements } from './write-statements.ts'

/** Every statement that a model needs on one database, each compiled at its first use and kept. */
export interface Statements extends ReadStatements, WriteStatements, RuleStatements, DeletedStatements {
  /** Those of the history of records. */
  history(): HistoryQueries
  /** JSON: pairs of an owner, of those in slot 0, and a record that it owns. */
  ownedNow(owns: Owns): Prepared
  /** Whether a policy allows an action with records as they were. */
  readonly states: AskStates
}

/** Statements about deleted records that are kept. */
export interface DeletedStatements {
  deletedRecord(resource: Resource): Prepared
  /** `topmost`: only what was deleted together with a record of it. */
  deletedBelow(owns: Owns, topmost: Resource | undefined): Prepared
  /** How many records keep others from being removed for good. */
  needingDeleted(relation: Reference | Link): Prepared
  /** How many of some deleted records a policy does not let the caller delete. */
  undeletable(resource: Resource): Prepared
}

/** Statements for rules, which see all rows. */
export interface RuleStatements {
  rows(asked: readonly RowsAsked[]): RowsQuery
  /** Locks rows in the order of their ids. Undefined where no row has to be locked. */
  readonly lockRows: LockRows | undefined
  /** Count new rows. */
  numbers(): NumberQueries
}

/** Its answer has a row for each that is locked. */
export type LockRows = (resource: Resource, ids: readonly Id[], lock: RowLock, waiting: Waiting) => RowsQuery

/** The most statements that are kept: bodies can ask for many combinations of changed columns. */
const MOST_KEPT = 10_000

/** The most shapes of queries that are kept. A client can make as many as it likes. */
const MOST_SHAPES = 1_000

/** What is compiled for stores that differ in nothing but the database. */
export interface KeptStatements {
  readonly statements: StatementMemory
  readonly shapes: StatementMemory
}

/** `count` is told of each statement that is kept. */
export function keptStatements(count?: KeptCount): KeptStatements {
  return { statements: new StatementMemory(MOST_KEPT, count), shapes: new StatementMemory(MOST_SHAPES, count) }
}

/** `noteUnshown` is told of values that answers leave out. */
export function statementsOf(
  context: QueryContext,
  kept: KeptStatements = keptStatements(),
  noteUnshown: NoteUnshown = () => {},
): Statements {
  const statements = new StatementCache(kept.statements, context)
  return {
    ...readStatements(context, statements, new StatementCache(kept.shapes, context), noteUnshown),
    ...writeStatements(context, statements),
    ...ruleStatements(context, statements),
    deletedRecord: statements.each(deletedRecordQuery),
    deletedBelow: statements.each(deletedBelowQuery),
    needingDeleted: statements.each(needingDeletedQuery),
    undeletable: statements.each(undeletableQuery),
    history: statements.each(historyQueries),
    ownedNow: statements.each(ownedQuery),
    states: stateQueries(context, statements),
  }
}

function ruleStatements(context: QueryContext, statements: StatementCache): RuleStatements {
  const lockRows = statements.each(lockRowsQuery)
  return {
    rows: rowsQueries(context, statements),
    numbers: statements.each(numberQueries),
    lockRows:
      context.dialect.rowLocks &&
      ((resource, ids, lock, waiting) => ({
        query: lockRows(resource, lock, waiting),
        values: [idSqlOf(context, resource).encodeList(ids)],
      })),
  }
}
