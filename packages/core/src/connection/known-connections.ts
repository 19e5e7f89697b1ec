import { CompiledQuery, type DatabaseConnection } from 'kysely'
import { type AnyKysely, databaseOf } from '../query/dialect/database.ts'
import type { Row } from '../query/text/prepare.ts'
import { type DriverFeatures, FEATURES_QUERY } from './drivers/driver-features.ts'
import { directSession, kyselySession, type Session } from './session.ts'

/** What the store has learned about a connection of Kysely's. */
interface KnownConnection {
  readonly features: DriverFeatures
  readonly session: Session
}

export const knownConnections = new WeakMap<DatabaseConnection, KnownConnection>()

/**
 * Returns a function that asks a connection what it offers. If the driver offers nothing, the others are not asked: some
 * dialects have a new connection for each use.
 */
export function learner(db: AnyKysely): (connection: DatabaseConnection) => Promise<KnownConnection> {
  const isSqlite = databaseOf(db) === 'sqlite'
  let withoutFeatures: { readonly takesSeveralCommands: boolean } | undefined

  return async (connection) => {
    // Kysely puts its log into the connection, and SQLite's own way would not come by there.
    const features = withoutFeatures || (isSqlite && isLogged(connection)) ? null : await featuresOf(connection)
    if (features === null)
      withoutFeatures ??= { takesSeveralCommands: !isSqlite && (await takesSeveralCommands(connection)) }
    const session = features === null ? kyselySession(connection, withoutFeatures) : sessionOn(connection, features)
    const learned = { features: features ?? {}, session }
    knownConnections.set(connection, learned)
    return learned
  }
}

function sessionOn(connection: DatabaseConnection, { pipeline, direct }: DriverFeatures): Session {
  if (direct !== undefined) return directSession(connection, direct)
  if (pipeline === undefined) return kyselySession(connection)
  return kyselySession(connection, { pipelines: true, hasJustAnswered: () => pipeline.hasJustAnswered() })
}

async function featuresOf(connection: DatabaseConnection): Promise<DriverFeatures | null> {
  const { rows } = await connection.executeQuery<Row>(CompiledQuery.raw(FEATURES_QUERY))
  return (rows[0]?.features ?? null) as DriverFeatures | null
}

/**
 * PostgreSQL: whether the driver uses the simple protocol for a text without values, as `pg` does. The extended one takes a single
 * command. Its statements have a cursor, those of the simple one have none that is visible.
 */
const IS_SIMPLE = `select count(*) = 0 as "isSimple" from pg_catalog.pg_cursors where name = ''`

async function takesSeveralCommands(connection: DatabaseConnection): Promise<boolean> {
  const { rows } = await connection.executeQuery<Row>(CompiledQuery.raw(IS_SIMPLE))
  return rows[0]?.isSimple === true
}

function isLogged(connection: DatabaseConnection): boolean {
  return Object.hasOwn(connection, 'executeQuery')
}
