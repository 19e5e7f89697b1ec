import { Type } from '@sinclair/typebox'
import type { Kysely } from 'kysely'
import { describe, expectTypeOf, test } from 'vitest'
import { defineResources, needs, type TablesOf } from '../../src/index.ts'
import { openPostgres } from '../../src/open/open-postgres.ts'
import { openSqlite } from '../../src/open/open-sqlite.ts'

const shared = defineResources({ tag: { fields: { name: Type.String() } } })
const ofTenants = defineResources(
  {
    org: { tenant: false, fields: { name: Type.String() } },
    member: { fields: { name: Type.String() }, relations: { boss: needs.one('member', { optional: true }) } },
  },
  { tenant: { resource: 'org' } },
)
const withColumn = defineResources(
  { org: { id: 'uuid', tenant: false, fields: {} }, member: { fields: {} } },
  { tenant: { resource: 'org', column: 'owner' } },
)
const postgres = () => openPostgres('postgres://localhost/a', { resources: ofTenants })
const sqlite = () => openSqlite(':memory:', { resources: ofTenants })

describe('A database that is opened with the resources', () => {
  test('has the tables of the model', () => {
    const open = () => openSqlite(':memory:', { resources: shared })
    expectTypeOf(open).returns.toEqualTypeOf<Kysely<TablesOf<typeof shared, 'sqlite'>>>()
    expectTypeOf(sqlite).returns.toEqualTypeOf<Kysely<TablesOf<typeof ofTenants, 'sqlite'>>>()
    expectTypeOf(postgres).returns.toEqualTypeOf<Kysely<TablesOf<typeof ofTenants, 'postgres'>>>()
  })

  test('has the column of the tenant in its tables', async () => {
    const queries = () => [
      sqlite().selectFrom('member').select('orgId').execute(),
      postgres().selectFrom('member').select('orgId').execute(),
    ]
    expectTypeOf(queries).returns.toEqualTypeOf<Promise<{ orgId: number }[]>[]>()
    const named = () => openPostgres('', { resources: withColumn }).selectFrom('member').select('owner').execute()
    expectTypeOf(named).returns.toEqualTypeOf<Promise<{ owner: string }[]>>()
  })

  test('without resources, has the tables that the application names', () => {
    const open = () => openSqlite<{ tag: { id: number } }>(':memory:')
    expectTypeOf(open).returns.toEqualTypeOf<Kysely<{ tag: { id: number } }>>()
  })
})
