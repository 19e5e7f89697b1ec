import { Type } from '@sinclair/typebox'
import { defineResources, ownedBy, owns } from 'fastify-crud'
import { sql } from 'kysely'
import { beforeEach, expect, test } from 'vitest'
import { useApp } from '../../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../../test/support/json-body.ts'
import { updatesIn, writesIn } from '../../../../../test/support/statement-log.ts'
import { missingId } from '../../../../../test/support/test-ids.ts'
import { tenantColumns } from '../../../../../test/support/test-tenants.ts'

const name = Type.String()

const lists = defineResources({
  list: { fields: { name }, relations: { items: owns.many('item', { order: 'position' }) } },
  item: {
    fields: { name, done: Type.Optional(Type.Boolean()) },
    relations: { list: ownedBy('list'), steps: owns.many('step', { order: 'rank' }) },
  },
  step: {
    fields: { name, rank: Type.Integer({ readOnly: true }) },
    relations: { item: ownedBy('item') },
    unique: [['item', 'rank']],
  },
})

describeOnBoth('an array of owned records that keeps its order', (database) => {
  const service = useApp(database, lists)
  let list: JsonBody
  let path: string

  beforeEach(async () => {
    list = await service.add('/api/list', { name: 'l', items: [{ name: 'a' }, { name: 'b' }, { name: 'c' }] })
    path = `/api/list/${list.id}`
  })

  const names = (record: JsonBody): string => record.items.map((one: JsonBody) => one.name).join('')
  const stored = async (): Promise<string> => names(await service.read(path))
  const idOf = (wanted: string): unknown => list.items.find((one: JsonBody) => one.name === wanted).id
  const numbers = async (): Promise<unknown> => {
    const rows = await service.db.selectFrom('item').select('position').orderBy('id').execute()
    return rows.map(({ position }) => position)
  }

  test('has the order of the body of a POST, and no answer shows its numbers', async () => {
    expect(names(list)).toBe('abc')
    expect(Object.keys(list.items[0]).sort()).toEqual(['done', 'id', 'name', 'steps'])
    expect(await stored()).toBe('abc')
    expect(await numbers()).toEqual([1000, 2000, 3000])
  })

  test('has the order of the body of a PUT, which updates one row for one that moves', async () => {
    const [a, b, c] = list.items
    const run = async () => {
      expect(names((await service.put(path, { name: 'l', items: [c, a, b] })).body)).toBe('cab')
    }
    expect(updatesIn(await service.statements(run)).length).toBe(1)
    expect(await stored()).toBe('cab')
    expect(await numbers()).toEqual([1000, 2000, 0])
  })

  test('a PUT puts new elements where it has them, and removes what it does not list', async () => {
    const [a, , c] = list.items
    const { body } = await service.put(path, { name: 'l', items: [{ name: 'x' }, c, { name: 'y' }, a, { name: 'z' }] })
    expect(names(body)).toBe('xcyaz')
    expect(await stored()).toBe('xcyaz')
  })

  test('a PUT of what GET shows changes nothing', async () => {
    const [a, b, c] = list.items
    await service.put(path, { name: 'l', items: [b, c, a] })
    const shown = await service.read(path)
    const statements = await service.statements(async () => {
      expect((await service.put(path, shown)).body).toEqual(shown)
    })
    expect(writesIn(statements)).toEqual([])
  })

  test('a PATCH leaves elements where they are, and adds new ones at the end', async () => {
    const items = [{ name: 'd' }, { id: idOf('c'), name: 'C' }, { id: idOf('a'), name: 'A' }, { name: 'e' }]
    expect(names((await service.patch(path, { items })).body)).toBe('AbCde')
    expect(await stored()).toBe('AbCde')
  })

  test('`$before` in an element of a PATCH says its place, of new ones, too', async () => {
    const items = [
      { id: idOf('c'), $before: idOf('a') },
      { name: 'x', $before: idOf('b') },
      { id: idOf('a'), name: 'A', $before: null },
      { name: 'y' },
    ]
    expect(names((await service.patch(path, { items })).body)).toBe('cxbAy')
    expect(await stored()).toBe('cxbAy')
  })

  test('`$before` in a PATCH of the element itself says its place', async () => {
    const at = (wanted: string) => `${path}/item/${idOf(wanted)}`
    const run = async () => {
      const { status, body } = await service.patch(at('c'), { $before: idOf('a') })
      expect([status, body.name]).toEqual([200, 'c'])
    }
    expect(updatesIn(await service.statements(run)).length).toBe(1)
    expect(await stored()).toBe('cab')
    await service.patch(at('c'), { $before: null, name: 'C' })
    expect(await stored()).toBe('abC')
    expect(await numbers()).toEqual([1000, 2000, 3000])
  })

  test('`$before` in a POST below the owner says the place of the new element', async () => {
    await service.add(`${path}/item`, { name: 'x', $before: idOf('b') })
    await service.add(`${path}/item`, { name: 'y', $before: null })
    await service.add(`${path}/item`, { name: 'z' })
    expect(await stored()).toBe('axbcyz')
  })

  test('writes of many elements keep their order, and may say places', async () => {
    await service.post(`${path}/item`, [{ name: 'x' }, { name: 'y', $before: idOf('a') }, { name: 'z' }])
    expect(await stored()).toBe('yabcxz')
    await service.patch(`${path}/item`, [
      { id: idOf('c'), $before: idOf('a') },
      { id: idOf('b'), $before: null },
    ])
    expect(await stored()).toBe('ycaxzb')
  })

  test('an id that is no sibling is refused at its pointer', async () => {
    const other = await service.add('/api/list', { name: 'm', items: [{ name: 'o' }] })
    for (const $before of [other.items[0].id, missingId('item')]) {
      const problem = { code: 'CRUD_ERR_UNKNOWN_REFERENCE', pointers: ['/items/0/$before'] } as const
      await service.refuse('PATCH', path, { items: [{ id: idOf('a'), $before }] }, problem)
      const own = { code: 'CRUD_ERR_UNKNOWN_REFERENCE', pointers: ['/$before'] } as const
      await service.refuse('PATCH', `${path}/item/${idOf('a')}`, { $before }, own)
      await service.refuse('POST', `${path}/item`, { name: 'x', $before }, own)
    }
    const itself = { code: 'CRUD_ERR_UNKNOWN_REFERENCE', pointers: ['/$before'] } as const
    await service.refuse('PATCH', `${path}/item/${idOf('a')}`, { $before: idOf('a') }, itself)
    expect(await stored()).toBe('abc')
  })

  test('`$before` is refused in a PUT, where there is no such array, and if it is no id', async () => {
    const invalid = (...pointers: string[]) => ({ code: 'CRUD_ERR_INVALID', pointers }) as const
    const items = [{ ...list.items[0], $before: null }]
    await service.refuse('PUT', path, { name: 'l', items }, invalid('/items/0/$before'))
    await service.refuse('PATCH', path, { $before: null }, invalid('/$before'))
    await service.refuse('PATCH', path, { items: [{ id: idOf('a'), $before: true }] }, invalid('/items/0/$before'))
  })

  test('lists below the owner have the order of the array, with cursors', async () => {
    await service.patch(`${path}/item/${idOf('c')}`, { $before: idOf('a') })
    const all = await service.read(`${path}/item`)
    expect(all.rows.map((one: JsonBody) => one.name)).toEqual(['c', 'a', 'b'])
    let page = await service.read(`${path}/item?limit=1&count=none`)
    const seen: string[] = []
    for (;;) {
      seen.push(...page.rows.map((one: JsonBody) => one.name))
      if (page.next === undefined) break
      page = await service.read(`${path}/item?limit=1&after=${page.next}`)
    }
    expect(seen).toEqual(['c', 'a', 'b'])
    const sorted = await service.read(`${path}/item?sort=-name`)
    expect(sorted.rows.map((one: JsonBody) => one.name)).toEqual(['c', 'b', 'a'])
    const nested = await service.read(`${path}?nested[items][limit]=2`)
    expect(names(nested)).toBe('ca')
  })

  test('a field of the name shows the numbers, and no body sets them', async () => {
    const at = `${path}/item/${idOf('a')}`
    const { body } = await service.patch(at, { steps: [{ name: 's' }, { name: 't' }] })
    expect(body.steps.map(({ name, rank }: JsonBody) => [name, rank])).toEqual([
      ['s', 1000],
      ['t', 2000],
    ])
    const shown = await service.read(path)
    expect((await service.put(path, shown)).body).toEqual(shown)
    await service.refuse(
      'POST',
      `${at}/step`,
      { name: 'x', rank: 1 },
      { code: 'CRUD_ERR_INVALID', pointers: ['/rank'] },
    )
  })

  test('a unique key of the descriptor with the numbers is in nobody’s way', async () => {
    const at = `${path}/item/${idOf('a')}`
    const steps = ['s', 't', 'u', 'v'].map((one) => ({ name: one }))
    const item = (await service.patch(at, { steps })).body
    for (const [rank, { id }] of item.steps.entries())
      await service.db.updateTable('step').set({ rank }).where('id', '=', id).execute()
    for (const order of ['vuts', 'tsvu', 'stuv', 'sutv']) {
      const listed = [...order].map((one) => item.steps.find((step: JsonBody) => step.name === one))
      const { body } = await service.put(at, { ...item, steps: listed })
      expect(body.steps.map((step: JsonBody) => step.name).join('')).toBe(order)
    }
  })

  test('goes on where the numbers of a table end', async () => {
    await service.db
      .updateTable('item')
      .set({ position: 2_147_483_647 })
      .where('id', '=', idOf('c') as never)
      .execute()
    await service.add(`${path}/item`, { name: 'd' })
    expect(await stored()).toBe('abcd')
  })

  test('gaps, equal numbers and nulls of a table are in order, and a write mends what it touches', async () => {
    const set = (id: unknown, number: number | null) =>
      service.db
        .updateTable('item')
        .set({ position: number })
        .where('id', '=', id as never)
        .execute()
    for (const [one, number] of [
      ['a', 5],
      ['b', 5],
      ['c', null],
    ] as const)
      await set(idOf(one), number)
    expect(await stored()).toBe('abc')
    await service.patch(`${path}/item/${idOf('c')}`, { $before: idOf('b') })
    expect(await stored()).toBe('acb')
    await service.db.updateTable('item').set({ position: null }).execute()
    await service.add(`${path}/item`, { name: 'd' })
    expect(await stored()).toBe('abcd')
    expect(await numbers()).toEqual([1000, 2000, 3000, 4000])
  })

  test('a unique key of the table over the owner and the number is in nobody’s way', async () => {
    const columns = [...tenantColumns, 'listId', 'position'].map((column) => sql.ref(column))
    await sql`create unique index item_places on item (${sql.join(columns)})`.execute(service.db)
    for (const [index, one] of ['a', 'b', 'c'].entries()) {
      await service.db
        .updateTable('item')
        .set({ position: index })
        .where('id', '=', idOf(one) as never)
        .execute()
    }
    const [a, b, c] = list.items
    for (const order of [
      [c, b, a],
      [b, a, c],
      [a, b, c],
      [b, c, a],
    ]) {
      const { body } = await service.put(path, { name: 'l', items: order })
      expect(body.items.map(({ id }: JsonBody) => id)).toEqual(order.map(({ id }) => id))
    }
    await service.put(path, { name: 'l', items: [b, { name: 'x' }, { name: 'y' }, c, a] })
    expect(await stored()).toBe('bxyca')
  })
})
