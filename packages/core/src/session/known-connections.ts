import { CompiledQuery, type DatabaseConnection } from 'kysely'
import { type AnyKysely, databaseOf } from '../sql/dialect/database.ts'
import type { Row } from '../sql/text/prepare.ts'
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
  let hasFeatures = true

  return async (connection) => {
    // Kysely puts its log into the connection, and SQLite's own way would not come by there.
    const isAsked = hasFeatures && !(isSqlite && isLogged(connection))
    const features = isAsked ? await featuresOf(connection) : undefined
    hasFeatures = features !== undefined
    const learned = { features: features ?? {}, session: sessionOn(connection, features ?? {}) }
    knownConnections.set(connection, learned)
    return learned
  }
}

function sessionOn(connection: DatabaseConnection, { pipeline, direct }: DriverFeatures): Session {
  if (direct !== undefined) return directSession(connection, direct)
  if (pipeline === undefined) return kyselySession(connection)
  return kyselySession(connection, { pipelines: true, hasJustAnswered: () => pipeline.hasJustAnswered() })
}

async function featuresOf(connection: DatabaseConnection): Promise<DriverFeatures | undefined> {
  const { rows } = await connection.executeQuery<Row>(CompiledQuery.raw(FEATURES_QUERY))
  return (rows[0]?.features ?? undefined) as DriverFeatures | undefined
}

function isLogged(connection: DatabaseConnection): boolean {
  return Object.hasOwn(connection, 'executeQuery')
}
