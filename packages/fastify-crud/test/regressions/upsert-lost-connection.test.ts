import { Type } from '@sinclair/typebox'
import { defineResources, type Model } from 'fastify-crud'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { buildApp } from '../../../../test/support/app.ts'
import { databases, type TestDatabase } from '../../../../test/support/databases.ts'

const postgres = databases.find(({ name }) => name === 'postgres') as TestDatabase

const resources = defineResources({
  product: { fields: { code: Type.String(), price: Type.Integer() }, unique: [['code']] },
}) as Model

test('a PUT by a unique key is done although the connection is lost that looks for its record', async () => {
  const service = await buildApp(postgres, resources)
  try {
    await service.add('/api/product', [
      { code: 'a', price: 1 },
      { code: 'b', price: 1 },
    ])
    // The first statement that reads the table loses its connection. A sequence counts across connections.
    for (const statement of [
      'create sequence reads',
      `create function reads_first() returns boolean language plpgsql volatile as $$ begin
        if nextval('reads') = 1 then perform pg_terminate_backend(pg_backend_pid()); end if;
        return true;
      end $$`,
      'alter table product rename to products',
      'create view product as select * from products where reads_first()',
    ]) {
      await sql.raw(statement).execute(service.db)
    }
    const answer = await service.put('/api/product?by=code', [
      { code: 'b', price: 2 },
      { code: 'a', price: 3 },
    ])
    expect(answer).toMatchObject({ status: 200, body: { rows: [{ price: 2 }, { price: 3 }] } })
    expect((await sql<{ tries: number }>`select last_value as tries from reads`.execute(service.db)).rows).not.toEqual([
      { tries: 1 },
    ])
  } finally {
    await service.close()
  }
})
