import { createStore } from '@fastify-crud/core'
import { Type } from '@sinclair/typebox'
import { createTables, defineResources, knows, ownedBy, owns } from 'fastify-crud'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import type { OpenDatabase } from '../../../../test/support/databases.ts'
import { describeOnDatabases } from '../../../../test/support/describe-on-databases.ts'
import { missingId } from '../../../../test/support/test-ids.ts'

const orders = defineResources({
  order: {
    fields: { name: Type.String() },
    relations: { lines: owns.many('line'), address: owns.one('address'), labels: knows.many('label') },
  },
  line: { fields: { text: Type.String() }, relations: { order: ownedBy('order') } },
  address: { fields: { text: Type.String() }, relations: { order: ownedBy('order') } },
  label: { fields: { name: Type.String() } },
})

describeOnDatabases('DELETE of a record that nothing can name', (database) => {
  const service = useApp(database, orders)

  const addOrder = async (name: string) => {
    const label = await service.add('/api/label', { name })
    return service.add('/api/order', {
      name,
      lines: [{ text: '1' }, { text: '2' }],
      address: { text: 'there' },
      labels: [{ id: label.id }],
    })
  }

  test('takes along what it owns and its links, and nothing else', async () => {
    const kept = await addOrder('kept')
    const { id } = await addOrder('gone')
    expect((await service.delete(`/api/order/${id}`)).status).toBe(204)
    expect(await service.read('/api/order')).toEqual({ rows: [kept], count: 1 })
    const left = await service.snapshot()
    expect(Object.fromEntries(Object.entries(left).map(([table, rows]) => [table, rows.length]))).toEqual({
      order: 1,
      line: 2,
      address: 1,
      label: 2,
      order_labels: 1,
    })
  })

  test('looks at nothing first, nor does that of a record which it owns', async () => {
    const order = await addOrder('a')
    const lock = database.name === 'postgres' ? ['select 1'] : []
    for (const [path, deletes] of [
      [`/api/order/${order.id}/line/${order.lines[0].id}`, 1],
      [`/api/order/${order.id}`, database.name === 'postgres' ? 1 : 4],
    ] as const) {
      const statements = await service.statements(async () => {
        expect((await service.delete(path)).status).toBe(204)
      })
      const kinds = statements.map((statement) => /^(?:begin|commit|select 1|with|delete)/.exec(statement)?.[0])
      expect(kinds.map((kind) => (kind === 'with' ? 'delete' : kind))).toEqual([
        'begin',
        ...lock,
        ...Array(deletes).fill('delete'),
        'commit',
      ])
    }
  })

  test("that is not there, or another one's, takes nothing along", async () => {
    const [mine, theirs] = [await addOrder('mine'), await addOrder('theirs')]
    const paths = [
      `/api/order/${missingId('order')}`,
      `/api/order/${mine.id}/line/${missingId('line')}`,
      `/api/order/${mine.id}/line/${theirs.lines[0].id}`,
      `/api/order/${missingId('order')}/line/${mine.lines[0].id}`,
      `/api/order/${mine.id}/address/${theirs.address.id}`,
    ]
    for (const path of paths) await service.refuse('DELETE', path, undefined, { code: 'CRUD_ERR_NOT_FOUND' })
  })
})

/** Rows that no descriptor knows of name lines. */
async function withInvoices({ name, db }: OpenDatabase): Promise<void> {
  await createTables(db, orders)
  const reference = name === 'sqlite' ? 'integer' : 'bigint'
  await sql.raw(`create table invoice (line ${reference} not null references line (id))`).execute(db)
}

describeOnDatabases('DELETE of a record that only the database knows to be named', (database) => {
  const service = useApp(database, orders, { tables: withInvoices })

  test('is refused, and nothing is gone', async () => {
    const order = await service.add('/api/order', { name: 'a', lines: [{ text: '1' }] })
    const [line] = order.lines
    await sql.raw(`insert into invoice (line) values (${line.id})`).execute(service.db)
    const before = await service.snapshot()
    const store = createStore({ db: service.db, resources: orders }).resource('order')
    const refusal = { code: 'CRUD_ERR_STILL_NEEDED', status: 409 }
    await expect(store.delete(order.id)).rejects.toMatchObject(refusal)
    await expect(store.owned(order.id, 'lines').delete(line.id)).rejects.toMatchObject(refusal)
    expect(await service.snapshot()).toEqual(before)
    await sql.raw('delete from invoice').execute(service.db)
    await store.delete(order.id)
    expect(await service.read('/api/order')).toEqual({ rows: [], count: 0 })
  })
})

/** Orders are not deleted: whoever wants to gets no error. */
async function withKeptOrders({ name, db }: OpenDatabase): Promise<void> {
  await createTables(db, orders)
  const statements =
    name === 'sqlite'
      ? ['create trigger keep before delete on "order" begin select raise(ignore); end']
      : [
          'create function keep() returns trigger language plpgsql as $$ begin return null; end $$',
          'create trigger keep before delete on "order" for each row execute function keep()',
        ]
  for (const statement of statements) await sql.raw(statement).execute(db)
}

describeOnDatabases('DELETE of a record that the database keeps without a word', (database) => {
  const service = useApp(database, orders, { tables: withKeptOrders })

  test('is 409, and 404 only if there is no record', async () => {
    const bare = await service.add('/api/order', { name: 'a' })
    await service.refuse('DELETE', `/api/order/${bare.id}`, undefined, { code: 'CRUD_ERR_REFUSED' })
    expect(await service.read('/api/order')).toEqual({ rows: [bare], count: 1 })
    await service.add('/api/order', { name: 'b', lines: [{ text: '1' }] })
    await service.refuse('DELETE', '/api/order/99', undefined, { code: 'CRUD_ERR_NOT_FOUND' })
  })

  test('404 leaves orphans alone', async () => {
    if (database.name === 'sqlite') await sql`pragma foreign_keys = off`.execute(service.db)
    else await sql`alter table line disable trigger all`.execute(service.db)
    await sql`insert into line (text, "orderId") values ('orphan', 99)`.execute(service.db)
    await service.refuse('DELETE', '/api/order/99', undefined, { code: 'CRUD_ERR_NOT_FOUND' })
  })
})
