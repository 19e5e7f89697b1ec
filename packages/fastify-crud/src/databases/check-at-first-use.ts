import { withRetries } from '@fastify-crud/core/internal'
import type { FastifyRequest } from 'fastify'
import { findTableProblems } from '../check-tables.ts'
import type { CrudOptions } from '../options.ts'
import type { DatabaseOfRequest } from './databases-in-use.ts'

/**
 * Does for a database what is done for that of the model at the start. Rejects with a TypeError that has all by which the database cannot be served;
 * warnings are in the log of the request. Rejects with `CRUD_ERR_BUSY` if the database cannot be reached.
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
