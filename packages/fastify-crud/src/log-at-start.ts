import type { AnyKysely, Model } from '@fastify-crud/core'
import { databaseOf, factsOf, foldsAllLetters, hasAddress, type Link, type Resource } from '@fastify-crud/core/internal'
import type { FastifyInstance } from 'fastify'
import type { CrudOptions } from './options.ts'

/** Says in the log what an operator should know before the first request. */
export function logAtStart(
  fastify: FastifyInstance,
  { authorize, policies, session }: CrudOptions,
  db: AnyKysely,
  resources: Model,
): void {
  const { log } = fastify
  if (authorize === undefined && policies === undefined && session === undefined) {
    log.warn(
      'fastify-crud: there is no `authorize`, no `policies` and no `session`, so its routes are open to everybody',
    )
  }
  const longest = idBeyond(maxParamLengthOf(fastify), resources)
  if (longest !== undefined) {
    const { key, id } = longest
    log.warn(
      `fastify-crud: ids of ${key} can have ${id.maxLength} characters, but Fastify answers 414 to more than ${maxParamLengthOf(fastify)}: raise routerOptions.maxParamLength`,
    )
  }
  for (const { source, name } of linksWithoutAddress(resources)) {
    log.info(
      `fastify-crud: ${source.key}.${name} has no address of its own: its name is the path segment of what such a record owns, or no path segment`,
    )
  }
  fastify.addHook('onReady', async () => {
    try {
      // Several registrations may share an instance.
      if (asked.has(db)) return
      const { keepsStatements, encoding } = await factsOf(db)
      if (!keepsStatements) log.info(`fastify-crud: ${HOW_TO_BE_FASTER[databaseOf(db)]}`)
      if (!(await foldsAllLetters(db))) log.info(`fastify-crud: ${FOLDS_ASCII_ONLY[databaseOf(db)]}`)
      if (encoding !== undefined && encoding !== UTF8)
        log.warn(`fastify-crud: this database is in ${encoding}, ${NEEDS_UTF8}`)
      asked.add(db)
    } catch (error) {
      log.error({ err: error }, 'fastify-crud: the database could not be asked how it works')
    }
  })
}

function linksWithoutAddress({ resources }: Model): readonly Link[] {
  return [...resources.values()].flatMap(({ links }) => links.filter((link) => !hasAddress(link)))
}

/** Of the resources whose ids can be longer than a path parameter may be, the one with the longest. */
function idBeyond(maxParamLength: number, { resources }: Model): Resource | undefined {
  const [longest] = [...resources.values()].sort((one, other) => other.id.maxLength - one.id.maxLength)
  return longest !== undefined && longest.id.maxLength > maxParamLength ? longest : undefined
}

/** In characters (UTF-16 units) of the decoded parameter. */
function maxParamLengthOf({ initialConfig }: FastifyInstance): number {
  const { routerOptions, maxParamLength } = initialConfig as LengthOptions
  return routerOptions?.maxParamLength ?? maxParamLength ?? DEFAULT_MAX_PARAM_LENGTH
}

interface LengthOptions {
  readonly maxParamLength?: number
  readonly routerOptions?: { readonly maxParamLength?: number }
}

/** Fastify's own: https://fastify.dev/docs/latest/Reference/Server/#maxparamlength */
const DEFAULT_MAX_PARAM_LENGTH = 100

/** The instances of which the log has said what they cannot do. */
const asked = new WeakSet<AnyKysely>()

/** The figures are those of bench's side `plain` beside `ours`. */
const HOW_TO_BE_FASTER = {
  sqlite:
    'this Kysely instance prepares every statement anew. With better-sqlite3, the service answers a quarter to half as many ' +
    "requests as it could: open the database by `openSqlite(file)` of 'fastify-crud/sqlite', or give your own dialect " +
    '`keepStatements(database, { direct: true })` in place of the database',
  postgres:
    'this Kysely instance prepares every statement anew. With pg, the service answers a third to half as many requests as it ' +
    "could: open the database by `openPostgres(url)` of 'fastify-crud/postgres', or give your own dialect " +
    '`keepStatements(pool)` in place of the pool',
}

const UTF8 = 'UTF8'

const NEEDS_UTF8 =
  'and only UTF8 has all letters: others store not every text, or take its bytes for letters in lengths and searches. ' +
  "Move the data to one made by `create database … encoding 'UTF8' template template0`"

const FOLDS_ASCII_ONLY = {
  sqlite:
    'this Kysely instance was not opened by `openSqlite`, so case-insensitive operators ignore the case of A to Z ' +
    'only, and there are no filters and sorts by `decimal` fields',
  postgres:
    'this database has no collation `pg_c_utf8` (PostgreSQL 17 or later, in UTF-8), so case-insensitive operators ' +
    'ignore the case of A to Z only',
}
