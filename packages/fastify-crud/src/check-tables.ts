import type { AnyKysely, Model } from '@fastify-crud/core'
import { proveTransactions, withRetries } from '@fastify-crud/core/internal'
import { checkTables, type TableProblem } from '@fastify-crud/tables'
import type { FastifyBaseLogger, FastifyInstance, FastifyRequest } from 'fastify'
import type { DatabaseOfRequest } from './databases/databases-in-use.ts'
import { type CrudOptions, DEFAULT_TABLES } from './options.ts'

type TablesOption = CrudOptions['tables']

/**
 * Compares the tables with the model before the first request, and logs what it finds. With `'check'`, tables of
 * another structure fail the start instead, as a driver without transactions does. A database that cannot be asked does
 * not: it may be there later.
 */
export function checkTablesAtStart(fastify: FastifyInstance, db: AnyKysely, model: Model, tables: TablesOption): void {
  const { log } = fastify
  fastify.addHook('onReady', async () => {
    if ([...model.resources.values()].some(({ isWritable }) => isWritable)) await checkTransactions(db, log)
    const problems = await findTableProblems(db, model, tables, log).catch((error: unknown) => {
      log.error({ err: error }, 'fastify-crud: the tables could not be checked')
      return []
    })
    if (problems.length > 0) throw new TypeError([DOES_NOT_START, ...problems].join('\n'))
  })
}

/** A driver without transactions fails the start: what is refused in the middle of a write would stay. */
async function checkTransactions(db: AnyKysely, log: FastifyBaseLogger): Promise<void> {
  try {
    await proveTransactions(db)
  } catch (error) {
    if (error instanceof TypeError) throw new TypeError(`fastify-crud: ${error.message}`)
    log.error({ err: error }, 'fastify-crud: the database could not be asked whether it has transactions')
  }
}

const DOES_NOT_START =
  "fastify-crud: the tables do not fit the model, so the service does not start (`tables: 'warn'` starts it all the same):"

/**
 * Compares the tables with the model as the option says. Resolves to what keeps them from being served; all else is in
 * the log. Rejects with the driver's error if the database cannot be asked.
 */
export async function findTableProblems(
  db: AnyKysely,
  model: Model,
  tables: TablesOption,
  log: FastifyBaseLogger,
): Promise<readonly string[]> {
  const how = tables ?? DEFAULT_TABLES
  if (how === 'off') return []
  const problems = await checkTables(db, model)
  const stopping = how === 'check' ? problems.filter(isStructural) : []
  for (const one of problems) {
    if (stopping.includes(one)) continue
    const isError = one.severity === 'error' && how === 'warn'
    log[isError ? 'error' : 'warn'](`fastify-crud: ${one.message}`)
  }
  return stopping.map(({ message }) => message)
}

/** Rows come and go, and one that does not fit keeps no other from being served. */
function isStructural({ severity, kind }: TableProblem): boolean {
  return severity === 'error' && kind !== 'value'
}

/**
 * Does for a database what is done for that of the model at the start. Rejects with a TypeError that has all by which
 * the database cannot be served; warnings are in the log of the request. Rejects with `CRUD_ERR_BUSY` if the database
 * cannot be reached.
 */
export async function checkAtFirstUse(
  { db, stores }: DatabaseOfRequest,
  tables: CrudOptions['tables'],
  { log }: FastifyRequest,
): Promise<void> {
  const problems = await withRetries(db, async () => [
    ...(await findTableProblems(db, stores.model, tables, log)),
    ...(await stores.problemsAtStart()),
  ])
  if (problems.length > 0) throw new TypeError([NOT_SERVED, ...problems].join('\n'))
}

const NOT_SERVED =
  "fastify-crud: the request's database does not fit the model, so it is not served (`tables: 'warn'` serves other tables all the same):"
