import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { checkTables, type TableOutcome } from 'fastify-crud'
import { describe, expect, test } from 'vitest'
import { openedSetups } from '../../../../../test/support/databases.ts'
import { serveIntrospected } from './introspected-service.ts'
import { toSqlite } from './to-sqlite.ts'
import { tryEveryRoute } from './try-every-route.ts'

function ddlOf(name: string): string {
  return readFileSync(join(import.meta.dirname, 'schemas', `${name}.sql`), 'utf8')
}

/** Tables that become no resources, and why. */
const LEFT: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  chinook: {},
  northwind: {},
  django: { django_migrations: 'migrations', django_session: 'sessions' },
  rails: { ar_internal_metadata: 'migrations', schema_migrations: 'migrations', tags_tasks: 'no primary key' },
  prisma: { _prisma_migrations: 'migrations' },
}

/** The same of the tables that have a feature each. */
const FEATURES_LEFT = {
  postgres: {
    company_names: 'materialized view',
    fine_company: 'view',
    place: 'point',
    without_key: 'no primary key',
  },
  sqlite: {
    search: 'virtual table',
    titles: 'view',
  },
} as const

const FEATURES_COLUMNS = {
  postgres: [],
  sqlite: [
    'The column "untyped" is left out: it has no type, and no row has a value',
    'The column "anything" is left out: it has no type, and its values are of several kinds',
  ],
}

describe.each(openedSetups)('introspect ($title)', (database) => {
  test('makes a service of tables with unusual columns, keys and names, and each of its routes works', async () => {
    const ddl = ddlOf(database.name === 'sqlite' ? 'features-sqlite' : 'features')
    const { service, tables, resources, types, source } = await serveIntrospected(database, ddl)
    try {
      const left = FEATURES_LEFT[database.name]
      expect(reasons(tables)).toEqual(
        Object.fromEntries(Object.entries(left).map(([table, why]) => [table, expect.stringContaining(why)])),
      )
      expect(source.match(/The column .*/g) ?? []).toEqual(FEATURES_COLUMNS[database.name])
      const findings = await checkTables(service.db, resources)
      expect(findings.filter(({ severity }) => severity === 'error')).toEqual([])
      await tryEveryRoute(service, [...resources.resources.values()], types)
    } finally {
      await service.close()
    }
  })

  test.each(Object.entries(LEFT))(
    'makes a service of the tables of %s, and each of its routes works',
    async (name, left) => {
      const ddl = database.name === 'sqlite' ? toSqlite(ddlOf(name)) : ddlOf(name)
      const { service, tables, resources, types, source } = await serveIntrospected(database, ddl)
      try {
        expect(reasons(tables)).toEqual(
          Object.fromEntries(Object.entries(left).map(([table, why]) => [table, expect.stringContaining(why)])),
        )
        expect(source.match(/The column .*/g) ?? []).toEqual([])
        const findings = await checkTables(service.db, resources)
        expect(findings.filter(({ severity }) => severity === 'error')).toEqual([])
        await tryEveryRoute(service, [...resources.resources.values()], types)
      } finally {
        await service.close()
      }
    },
  )
})

function reasons(tables: ReadonlyMap<string, TableOutcome>): Record<string, string> {
  return Object.fromEntries(
    [...tables].flatMap(([table, outcome]) => ('reason' in outcome ? [[table, outcome.reason]] : [])),
  )
}
