import { checkTables, type TableOutcome } from 'fastify-crud'
import { describe, expect, test } from 'vitest'
import { openedSetups } from '../../../../../test/support/databases.ts'
import { ddlFor, SCHEMAS, serveIntrospected } from './introspected-service.ts'
import { tryEveryRoute } from './try-every-route.ts'

type Schema = (typeof SCHEMAS)[number]

/** Tables that become no resources, and why. */
const LEFT: Readonly<Record<Schema, Readonly<Record<'postgres' | 'sqlite', Readonly<Record<string, string>>>>>> = {
  chinook: onBoth({}),
  northwind: onBoth({}),
  django: onBoth({ django_migrations: 'migrations', django_session: 'sessions' }),
  rails: onBoth({ ar_internal_metadata: 'migrations', schema_migrations: 'migrations' }),
  prisma: onBoth({ _prisma_migrations: 'migrations' }),
  features: {
    postgres: {},
    sqlite: { search: 'virtual table' },
  },
}

/** Columns that become no fields, and why. */
const LEFT_COLUMNS: Readonly<Record<string, readonly string[]>> = {
  'features, postgres': ['The column "at" is left out: no field can have values of the type point'],
  'features, sqlite': [
    'The column "untyped" is left out: it has no type, and no row has a value',
    'The column "anything" is left out: it has no type, and its values are of several kinds',
  ],
}

/** What checkTables says of these schemas is about types that do round or cut, or about keys that may be null. */
const NARROW: readonly string[] = ['northwind', 'features', 'prisma, sqlite']

describe.each(openedSetups)('introspect ($title)', (database) => {
  test.each(SCHEMAS)('makes a service of the tables of %s, and each of its routes works', async (schema) => {
    const ddl = ddlFor(schema, database.name)
    const { service, tables, resources, types, source } = await serveIntrospected(database, ddl)
    try {
      expect(reasons(tables)).toEqual(containing(LEFT[schema][database.name]))
      expect(source.match(/The column .*/g) ?? []).toEqual(LEFT_COLUMNS[`${schema}, ${database.name}`] ?? [])
      const findings = await checkTables(service.db, resources)
      expect(findings.filter(({ severity }) => severity === 'error')).toEqual([])
      // Indexes are a matter of speed, and ids that are given twice one of AUTOINCREMENT.
      const others = findings.filter(({ kind }) => kind !== 'index' && kind !== 'id')
      const isNarrow = [schema, `${schema}, ${database.name}`].some((name) => NARROW.includes(name))
      if (!isNarrow) expect(others).toEqual([])
      await tryEveryRoute(service, [...resources.resources.values()], types)
    } finally {
      await service.close()
    }
  })
})

function onBoth(left: Readonly<Record<string, string>>) {
  return { postgres: left, sqlite: left }
}

function containing(left: Readonly<Record<string, string>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(left).map(([table, why]) => [table, expect.stringContaining(why)]))
}

function reasons(tables: ReadonlyMap<string, TableOutcome>): Record<string, string> {
  return Object.fromEntries(
    [...tables].flatMap(([table, outcome]) => ('reason' in outcome ? [[table, outcome.reason]] : [])),
  )
}
