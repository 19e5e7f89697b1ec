import { openPostgres } from 'fastify-crud/postgres'
import { Kysely, PostgresDialect, sql } from 'kysely'
import pg from 'pg'
import type { OpenDatabase, Setup } from './databases.ts'
import { statementLog } from './statement-log.ts'
import type { TestKysely } from './tables.ts'

/** A role that owns no tables, so that policies of row level security are for it, too. */
const ROLE = 'crud_clerk'
const PASSWORD = 'no secret'

/** A database that is opened by a role with all privileges, but whose tables belong to another one. */
export interface DatabaseAsRole extends OpenDatabase {
  /** The same database as its owner has it, who sees every row. */
  readonly owner: TestKysely
}

/**
 * The same PostgreSQL setup for a service that connects as {@link ROLE}, with one connection. `prepare` makes the tables and their
 * policies, as their owner.
 */
export function asRole(
  setup: Setup,
  prepare: (owner: TestKysely) => Promise<void>,
): Omit<Setup, 'open'> & { open(): Promise<DatabaseAsRole> } {
  return {
    ...setup,
    async open() {
      const opened = await setup.open()
      await prepare(opened.db)
      await grantAll(opened.db)
      const url = new URL(opened.location)
      url.username = ROLE
      url.password = PASSWORD
      const statements = statementLog()
      const db = openWithOneConnection(url.href, setup.isBatched, statements.logger)
      return {
        ...opened,
        db,
        statements,
        owner: opened.db,
        async close() {
          await db.destroy()
          await opened.close()
        },
      }
    },
  }
}

function openWithOneConnection(
  url: string,
  isBatched: boolean,
  log: ReturnType<typeof statementLog>['logger'],
): TestKysely {
  if (isBatched) return openPostgres(url, { log, max: 1, warn: () => {} })
  return new Kysely({ dialect: new PostgresDialect({ pool: new pg.Pool({ connectionString: url, max: 1 }) }), log })
}

/** The role belongs to the server, and other tests may make it at the same time. */
async function grantAll(owner: TestKysely): Promise<void> {
  const create = `create role ${ROLE} login password '${PASSWORD}'; exception when duplicate_object or unique_violation then null;`
  await sql.raw(`do $$ begin ${create} end $$`).execute(owner)
  await sql.raw(`grant usage on schema public to ${ROLE}`).execute(owner)
  for (const what of ['tables', 'sequences']) {
    await sql.raw(`grant all on all ${what} in schema public to ${ROLE}`).execute(owner)
  }
}
