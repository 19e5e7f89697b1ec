import { checkTables, type Model, type TableProblem } from '@fastify-crud/core'
import type { FastifyInstance } from 'fastify'
import { type CrudOptions, DEFAULT_TABLES } from './options.ts'

/**
 * Compares the tables with the model before the first request, and logs what it finds. With `'check'`, tables of another structure fail the
 * start instead. A database that cannot be asked does not: it may be there later.
 */
export function checkTablesAtStart(
  fastify: FastifyInstance,
  { db, tables = DEFAULT_TABLES }: CrudOptions,
  resources: Model,
): void {
  if (tables === 'off') return
  const { log } = fastify
  fastify.addHook('onReady', async () => {
    const problems = await checkTables(db, resources).catch((error: unknown) => {
      log.error({ err: error }, 'fastify-crud: the tables could not be checked')
      return []
    })
    const stopping = tables === 'check' ? problems.filter(isStructural) : []
    for (const one of problems) {
      if (stopping.includes(one)) continue
      const isError = one.severity === 'error' && tables === 'warn'
      log[isError ? 'error' : 'warn'](`fastify-crud: ${one.message}`)
    }
    if (stopping.length > 0) throw new TypeError([DOES_NOT_START, ...stopping.map(({ message }) => message)].join('\n'))
  })
}

const DOES_NOT_START =
  "fastify-crud: the tables do not fit the model, so the service does not start (`tables: 'warn'` starts it all the same):"

/** Rows come and go, and one that does not fit keeps no other from being served. */
function isStructural({ severity, kind }: TableProblem): boolean {
  return severity === 'error' && kind !== 'value'
}
