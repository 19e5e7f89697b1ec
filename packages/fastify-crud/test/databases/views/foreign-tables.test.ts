import { checkTables, introspect } from 'fastify-crud'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { openedSetups } from '../../../../../test/support/databases.ts'
import { serveIntrospected } from '../introspect/introspected-service.ts'

const onPostgres = openedSetups.filter(({ name }) => name === 'postgres')

describe.each(onPostgres)('what is read but is no table ($title)', (database) => {
  test('a foreign table is a list, whose rows come from another server', async () => {
    const other = await database.open()
    await sql`create table price (sku text primary key, amount numeric(10, 2) not null)`.execute(other.db)
    await sql`insert into price values ('a', 1.50), ('b', 2)`.execute(other.db)
    const { hostname, port, pathname, username, password } = new URL(other.location)
    const { service, resources, tables } = await serveIntrospected(
      database,
      `create extension postgres_fdw;
       create server shop foreign data wrapper postgres_fdw options (host '${hostname}', port '${port}', dbname '${pathname.slice(1)}');
       create user mapping for current_user server shop options (user '${username}', password '${password}');
       create foreign table price (sku text, amount numeric(10, 2) not null) server shop;
       create table item (id serial primary key, sku text);`,
    )
    try {
      expect(tables.get('price')).toEqual({ resource: 'price' })
      expect(resources.resources.get('price')).toMatchObject({ isWritable: false, hasId: false })
      const found = await service.read('/api/price?sort=-sku&filter[amount][gte]=1')
      expect(found).toEqual({
        rows: [
          { sku: 'b', amount: '2.00' },
          { sku: 'a', amount: '1.50' },
        ],
        count: 2,
      })
      expect((await service.post('/api/price', { sku: 'c' })).status).toBe(405)
      expect((await checkTables(service.db, resources)).filter(({ kind }) => kind !== 'index')).toEqual([])

      await sql`drop table price`.execute(other.db)
      const refused = await service.get('/api/price')
      expect(refused).toMatchObject({ status: 500, body: { code: 'CRUD_ERR_INTERNAL' } })
      const findings = (await checkTables(service.db, resources)).filter(({ kind }) => kind !== 'index')
      expect(findings).toMatchObject([
        { severity: 'error', table: 'price', message: expect.stringMatching(/price.*cannot be read.*does not exist/) },
      ])
      expect((await introspect(service.db)).tables.get('price')).toEqual({
        reason: expect.stringMatching(/does not exist/),
      })
    } finally {
      await service.close()
      await other.close()
    }
  })

  test('a materialized view without data is named until it is refreshed', async () => {
    const { service, resources } = await serveIntrospected(
      database,
      `create table item (id serial primary key, sku text not null);
       insert into item (sku) values ('a'), ('a'), ('b');
       create materialized view sold as select sku, count(*) as times from item group by sku;`,
    )
    try {
      expect((await service.read('/api/sold?sort=sku')).rows).toEqual([
        { sku: 'a', times: 2 },
        { sku: 'b', times: 1 },
      ])
      await sql`refresh materialized view sold with no data`.execute(service.db)
      expect(await service.get('/api/sold')).toMatchObject({ status: 503, body: { code: 'CRUD_ERR_BUSY' } })
      const message = expect.stringMatching(/sold.*has not been populated/)
      expect(await checkTables(service.db, resources)).toMatchObject([{ severity: 'error', table: 'sold', message }])
      expect((await introspect(service.db)).tables.get('sold')).toEqual({ reason: message })
      await sql`refresh materialized view sold`.execute(service.db)
      expect((await service.read('/api/sold')).count).toBe(2)
      expect(await checkTables(service.db, resources)).toEqual([])
    } finally {
      await service.close()
    }
  })
})
