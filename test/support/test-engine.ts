import type { PostgresEngine } from 'fastify-crud'

/** What `TEST_ENGINE` may say. */
const ENGINES: Readonly<Record<string, Partial<PostgresEngine>>> = {
  serializable: { isolation: 'serializable' },
  /** Lacks all that a test of the contract can do without. */
  bare: {
    isolation: 'serializable',
    begin: 'start transaction isolation level serializable',
    rowLocks: 'none',
    advisoryLocks: false,
    setConfig: false,
    identityColumns: false,
    comparingUpdates: false,
  },
}

const name = process.env.TEST_ENGINE

/** The variable `TEST_ENGINE` of the environment says what PostgreSQL is taken for. Default: for what it is. */
export const testEngine: Partial<PostgresEngine> | undefined = name === undefined ? undefined : ENGINES[name]
if (name !== undefined && testEngine === undefined) {
  throw new Error(`TEST_ENGINE: must be ${Object.keys(ENGINES).join(' or ')}, not ${name}`)
}

/** With such an engine, the tests' own transactions are as those of the service, too. */
export const testSession: Readonly<Record<string, string>> =
  testEngine?.isolation === undefined ? {} : { default_transaction_isolation: testEngine.isolation }

/** The same as a connection takes it. */
export function sessionOptions(settings: Readonly<Record<string, string>>): string {
  return Object.entries(settings)
    .map(([setting, value]) => `-c ${setting}=${value.replaceAll(/[\\ ]/g, '\\$&')}`)
    .join(' ')
}
