import {
  type DatabaseConnection,
  type Dialect,
  DummyDriver,
  PostgresIntrospector,
  PostgresQueryCompiler,
  SqliteIntrospector,
  SqliteQueryCompiler,
  Transaction,
} from 'kysely'
import { type AnyKysely, databaseOf } from '../sql/dialect/database.ts'
import type { Session } from './session.ts'

/** A transaction of Kysely's, whatever its tables are. */
// biome-ignore lint/suspicious/noExplicitAny: the tables are the application's
export type AnyTransaction = Transaction<any>

/**
 * The transaction that a session is in, for queries of the application's own: on the session's connection, with the plugins of `db`.
 * Whoever began the transaction ends it.
 */
export function kyselyTransaction(db: AnyKysely, { connection }: Session): AnyTransaction {
  if (db instanceof Transaction) return db
  const provideConnection = <Result>(work: (connection: DatabaseConnection) => Promise<Result>) => work(connection)
  const executor = db.getExecutor().withConnectionProvider({ provideConnection })
  const dialect = dialectOf(db)
  return new Transaction({ config: { dialect }, dialect, driver: dialect.createDriver(), executor })
}

/** The moment of a transaction: that of its first write, of which it is told. */
export function momentOf(transaction: AnyTransaction, now: Date): Date {
  const moment = moments.get(transaction) ?? now
  moments.set(transaction, moment)
  return moment
}

const moments = new WeakMap<AnyTransaction, Date>()

/** What Kysely wants besides the connection, which is there already. */
function dialectOf(db: AnyKysely): Dialect {
  const isPostgres = databaseOf(db) === 'postgres'
  return {
    createAdapter: () => db.getExecutor().adapter,
    createDriver: () => new DummyDriver(),
    createIntrospector: (one) => (isPostgres ? new PostgresIntrospector(one) : new SqliteIntrospector(one)),
    createQueryCompiler: () => (isPostgres ? new PostgresQueryCompiler() : new SqliteQueryCompiler()),
  }
}
