import { Type } from '@sinclair/typebox'
import { defineResources, knows, type Model, needs, ownedBy, owns } from 'fastify-crud'
import { sql } from 'kysely'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { useApp } from '../../../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../../../test/support/json-body.ts'
import { writesIn } from '../../../../../../test/support/statement-log.ts'

// Where writes of related records are known to go wrong, with ids of members at each depth.

const name = Type.String({ minLength: 1 })
const text = Type.Optional(Type.String())

const model = defineResources({
  shop: {
    id: 'integer',
    fields: { name },
    relations: { desks: owns.many('desk'), info: owns.one('info'), visits: owns.many('visit') },
  },
  info: {
    id: ['shop'],
    fields: { note: text, motto: text },
    relations: { shop: ownedBy('shop'), pages: owns.many('page') },
  },
  page: {
    id: ['info', 'lang'],
    fields: { lang: Type.String(), title: name, views: Type.Integer({ default: 0 }), note: text },
    relations: { info: ownedBy('info') },
  },
  desk: {
    id: ['code'],
    fields: { code: Type.String(), label: text },
    relations: { shop: ownedBy('shop'), slots: owns.many('slot'), first: owns.one('first') },
  },
  slot: {
    id: ['desk', 'day', 'clerk'],
    fields: { day: Type.String({ format: 'date' }), title: name, note: text, grade: Type.Integer({ default: 1 }) },
    unique: [['desk', 'grade', 'note']],
    relations: {
      desk: ownedBy('desk'),
      clerk: needs.one('person'),
      guest: needs.one('person', { optional: true }),
      tip: knows.one('person'),
    },
  },
  first: {
    id: ['desk', 'number'],
    fields: { number: Type.Integer(), title: name },
    relations: { desk: ownedBy('desk') },
  },
  visit: {
    id: ['shop', 'number'],
    fields: { number: Type.Integer() },
    relations: { shop: ownedBy('shop'), desk: needs.one('desk') },
  },
  person: { id: 'uuid', fields: { name } },
  node: {
    id: ['code'],
    fields: { code: Type.String(), name: text },
    relations: { parent: ownedBy('node', { optional: true }), nodes: owns.many('node') },
  },
}) as Model

describeOnBoth('edge cases of related records whose members make up their ids', (database) => {
  const service = useApp(database, model)
  const invalid = { code: 'CRUD_ERR_INVALID' } as const
  const unknown = { code: 'CRUD_ERR_UNKNOWN_REFERENCE' } as const
  const needed = { code: 'CRUD_ERR_STILL_NEEDED' } as const
  const day = '2026-11-28'
  let ada: JsonBody
  let bo: JsonBody
  let shop: JsonBody
  let other: JsonBody
  let path: string

  beforeEach(async () => {
    ada = await service.add('/api/person', { name: 'Ada' })
    bo = await service.add('/api/person', { name: 'Bo' })
    const slots = () => [
      { day, clerkId: ada.id, title: '1', note: 'n' },
      { day, clerkId: bo.id, title: '2', grade: 2 },
    ]
    const info = {
      note: 'n',
      pages: [
        { lang: 'en', title: 'e' },
        { lang: 'de', title: 'd' },
      ],
    }
    const desks = (first: string, second: string) => [
      { code: first, slots: slots(), first: { number: 1, title: 'f' } },
      { code: second, slots: slots().slice(1) },
    ]
    shop = await service.add('/api/shop', { name: 'one', info, desks: desks('a', 'b') })
    other = await service.add('/api/shop', { name: 'two', info, desks: desks('c', 'd') })
    path = `/api/shop/${shop.id}`
  })

  const unchanged = async () => expect(await service.read(`/api/shop/${other.id}`)).toEqual(other)

  test('the same short id below another owner is another record, at any depth', async () => {
    const en = { id: 'en', title: 'x' }
    const { body } = await service.patch(path, { info: { pages: [en] } })
    expect(body.info.pages).toMatchObject([
      { lang: 'de', title: 'd' },
      { lang: 'en', title: 'x' },
    ])
    const [a, b] = body.desks
    const moved = { ...b, slots: [{ id: a.slots[0].id, title: 'x' }, ...b.slots] }
    const put = await service.put(path, { ...body, desks: [a, moved] })
    expect(put.body.desks[0]).toEqual(a)
    expect(put.body.desks[1].slots).toHaveLength(2)
    await unchanged()
  })

  test("another owner's child with an id of its own is 409, in POST, PUT and PATCH, and stays as it is", async () => {
    const taken = { code: 'CRUD_ERR_EXISTS' } as const
    await service.refuse(
      'PATCH',
      path,
      { desks: [{ code: 'c', label: 'x' }] },
      { ...taken, pointers: ['/desks/0/code'] },
    )
    await service.refuse(
      'PUT',
      path,
      { ...shop, desks: [...shop.desks, { id: 'c', label: 'x' }] },
      { ...taken, pointers: ['/desks/2/id'] },
    )
    await service.refuse('POST', `${path}/desk`, { code: 'c' }, taken)
    for (const [method, body] of [['GET'], ['DELETE'], ['PATCH', {}], ['PUT', { label: 'x' }]] as const) {
      await service.refuse(method, `${path}/desk/c`, body, { code: 'CRUD_ERR_NOT_FOUND' })
      await service.refuse(
        method,
        `${path}/desk/c/slot/${encodeURIComponent(other.desks[0].slots[0].id)}`,
        method === 'PUT' ? { title: 'x' } : body,
        { code: 'CRUD_ERR_NOT_FOUND' },
      )
    }
    await unchanged()
  })

  test('one child: updated in place, removed, created with nulls, and kept where the new one is bad', async () => {
    const { info: _, ...without } = shop
    expect((await service.put(path, { ...shop, info: { motto: 'm' } })).body.info).toEqual({
      id: shop.id,
      note: null,
      motto: 'm',
      pages: [],
    })
    expect((await service.put(path, without)).body.info).toBeNull()
    expect((await service.put(path, { ...without, info: {} })).body.info).toEqual({
      id: shop.id,
      note: null,
      motto: null,
      pages: [],
    })
    await service.refuse('POST', `${path}/info`, {}, { code: 'CRUD_ERR_EXISTS' })
    expect((await service.delete(`${path}/info/${shop.id}`)).status).toBe(204)
    expect(await service.post(`${path}/info`, {})).toMatchObject({ status: 201, body: { id: shop.id, note: null } })
    const at = '/desks/0/first'
    const bad = (first: unknown) => ({ desks: [{ id: 'a', first }] })
    await service.refuse('PATCH', path, bad({ title: '' }), { ...invalid, pointers: [`${at}/title`] })
    await service.refuse('PATCH', path, bad([]), { ...invalid, pointers: [at] })
    await service.refuse('PATCH', path, bad('x'), { ...invalid, pointers: [at] })
    const [a, b] = shop.desks
    await service.refuse(
      'PUT',
      path,
      { ...shop, desks: [{ ...a, first: {} }, b] },
      { ...invalid, pointers: [`${at}/title`] },
    )
    await service.refuse(
      'PUT',
      path,
      { ...shop, desks: [a, { ...b, first: {} }] },
      { ...invalid, pointers: ['/desks/1/first/title'] },
    )
    const pointers = ['/desks/1/first/number']
    await service.refuse(
      'PUT',
      path,
      { ...shop, desks: [a, { ...b, first: { title: 'x' } }] },
      { ...invalid, pointers },
    )
    await service.refuse(
      'PUT',
      path,
      { ...shop, desks: [a, { ...b, first: { number: 2, title: '' } }] },
      { ...invalid, pointers: ['/desks/1/first/title'] },
    )
  })

  test('another id than that of the path is 400, and so is what is unknown, three levels down', async () => {
    await service.refuse(
      'PUT',
      `${path}/desk/a`,
      { ...shop.desks[0], id: 'b' },
      { ...invalid, pointers: ['/code', '/id'] },
    )
    await service.refuse('PUT', `${path}/desk/a`, { ...shop.desks[0], code: 'b' }, { ...invalid, pointers: ['/code'] })
    await service.refuse(
      'PUT',
      `${path}/info/${shop.id}/page/en`,
      { id: 'de', title: 'x' },
      { ...invalid, pointers: ['/id'] },
    )
    const slots = [{ day, clerkId: ada.id, titel: 'x' }]
    await service.refuse(
      'PATCH',
      path,
      { desks: [{ code: 'b' }, { code: 'a', slots }] },
      { ...invalid, pointers: ['/desks/1/slots/0/titel'] },
    )
    await service.refuse(
      'PATCH',
      path,
      { info: { pages: [{ lang: 'en', titel: 'x' }] } },
      { ...invalid, pointers: ['/info/pages/0/titel'] },
    )
    const several = { desks: [{ code: 'a', slots: [{ day: 'x', clerkId: 'y' }] }, { slots: [{}] }] }
    const pointers = [
      '/desks/0/slots/0/day',
      '/desks/0/slots/0/clerkId',
      '/desks/0/slots/0/title',
      '/desks/1/code',
      '/desks/1/slots/0/day',
      '/desks/1/slots/0/clerkId',
      '/desks/1/slots/0/title',
    ]
    await service.refuse('POST', '/api/shop', { name: 'x', ...several }, { ...invalid, pointers })
  })

  test('a reference that is no part of the id moves the record; one that is a part does not', async () => {
    const [slot] = shop.desks[0].slots
    const its = `${path}/desk/a/slot/${encodeURIComponent(slot.id)}`
    expect((await service.patch(its, { guestId: bo.id })).body).toMatchObject({ id: slot.id, guest: { name: 'Bo' } })
    expect((await service.patch(its, { guestId: null })).body).toMatchObject({ guest: null })
    const nobody = '00000000-0000-4000-8000-000000000000'
    await service.refuse('PATCH', its, { guestId: nobody }, { ...unknown, pointers: ['/guestId'] })
    for (const clerkId of [nobody, null, slot.clerkId === ada.id ? bo.id : ada.id]) {
      await service.refuse('PATCH', its, { clerkId }, { ...invalid, pointers: ['/clerkId'] })
    }
    const stale = { ...slot, clerk: { ...slot.clerk, name: 'stale' } }
    expect(await service.put(its, stale)).toMatchObject({ status: 200, body: slot })
    await service.refuse('PATCH', its, { clerk: { id: nobody } }, { ...invalid, pointers: ['/clerk'] })
    const desks = [{ code: 'a', slots: [{ day: '2026-12-01', clerkId: nobody, title: 'x' }] }]
    await service.refuse('PATCH', path, { desks }, { ...unknown, pointers: ['/desks/0/slots/0/clerkId'] })
    await service.refuse(
      'POST',
      '/api/shop',
      { name: 'n', desks: [{ ...desks[0], code: 'z' }] },
      { ...unknown, pointers: ['/desks/0/slots/0/clerkId'] },
    )
  })

  test('what a part names is needed, and the answer counts by how many', async () => {
    const problem = await service.refuse('DELETE', `/api/person/${bo.id}`, undefined, needed)
    expect(problem.blockers).toEqual([{ resource: 'slot', relation: 'clerk', count: 4 }])
    const cy = await service.add('/api/person', { name: 'Cy' })
    const [slot] = shop.desks[1].slots
    await service.patch(path, { desks: [{ id: 'b', slots: [{ id: slot.id, tipId: cy.id }] }] })
    expect((await service.read(path)).desks[1].slots[0]).toMatchObject({ tip: { name: 'Cy' } })
    expect((await service.delete(`/api/person/${cy.id}`)).status).toBe(204)
    expect(await service.read(path)).toEqual(shop)
  })

  test('a PUT that drops a child takes what it owns; one that keeps it and leaves out its own empties it', async () => {
    const [a, b] = shop.desks
    const { slots: _, ...bare } = a
    const kept = await service.put(path, { ...shop, desks: [bare, b] })
    expect(kept.body.desks).toEqual([{ ...a, slots: [] }, b])
    const dropped = await service.put(path, { ...shop, desks: [{ code: 'a' }] })
    expect(dropped.body.desks).toEqual([{ ...a, slots: [], first: null }])
    const rows = await service.snapshot(['slot', 'first'])
    expect([rows.slot?.length, rows.first?.length]).toEqual([3, 1])
    await unchanged()
  })

  test('a PATCH of a grandchild changes that one only', async () => {
    const [a, b] = shop.desks
    const [one, two] = a.slots
    const { body } = await service.patch(path, {
      desks: [{ code: 'a', slots: [{ day, clerkId: two.clerkId, note: 'new' }] }],
    })
    expect(body).toEqual({ ...shop, desks: [{ ...a, slots: [one, { ...two, note: 'new' }] }, b] })
  })

  test('a child that a record outside needs stays, and so do all others; one that goes along does not matter', async () => {
    await service.patch(path, { visits: [{ number: 1, deskId: 'a' }] })
    await service.patch(`/api/shop/${other.id}`, { visits: [{ number: 1, deskId: 'b' }] })
    await service.refuse('DELETE', path, undefined, needed)
    await service.refuse(
      'PUT',
      path,
      { ...shop, name: 'x', desks: shop.desks.slice(0, 1), visits: [{ number: 1, deskId: 'a' }] },
      needed,
    )
    await service.refuse(
      'PUT',
      path,
      { ...shop, name: 'x', desks: shop.desks.slice(1), visits: [{ number: 1, deskId: 'a' }] },
      needed,
    )
    expect((await service.delete(`/api/shop/${other.id}/visit/1`)).status).toBe(204)
    expect((await service.delete(path)).status).toBe(204)
    await service.refuse('DELETE', path, undefined, { code: 'CRUD_ERR_NOT_FOUND' })
    await unchanged()
  })

  test('elements of one array with different fields each get their defaults', async () => {
    const pages = [
      { lang: 'a', title: '1' },
      { id: 'b', title: '2', views: 7 },
      { lang: 'c', title: '3', note: 'n' },
      { lang: 'en', title: '4' },
    ]
    const { body } = await service.put(path, { ...shop, info: { pages } })
    expect(body.info.pages).toEqual([
      { id: 'a', lang: 'a', title: '1', views: 0, note: null },
      { id: 'b', lang: 'b', title: '2', views: 7, note: null },
      { id: 'c', lang: 'c', title: '3', views: 0, note: 'n' },
      { id: 'en', lang: 'en', title: '4', views: 0, note: null },
    ])
  })

  test('the body of GET, sent back, runs no statement that writes, at any depth', async () => {
    const statements = await service.statements(async () => {
      for (const [url, body] of [
        [path, shop],
        ['/api/shop', shop],
        [`${path}/desk/a`, shop.desks[0]],
        [`${path}/desk`, shop.desks[1]],
        [`${path}/info`, shop.info],
        [`${path}/info/${shop.id}/page/en`, shop.info.pages[1]],
        [`${path}/desk/a/first`, shop.desks[0].first],
      ] as const) {
        expect(await service.put(url, body), url).toMatchObject({ status: 200, body })
      }
      await service.patch(path, {
        desks: [{ code: 'a', slots: shop.desks[0].slots.map(({ id }: JsonBody) => ({ id })) }],
      })
    })
    expect(writesIn(statements)).toEqual([])
  })

  test('columns of such a link that no field describes stay as they are', async () => {
    await sql`alter table page add column seen integer default 0`.execute(service.db)
    onTestFinished(async () => {
      await sql`alter table page drop column seen`.execute(service.db)
    })
    await sql`update page set seen = 7 where lang = 'en'`.execute(service.db)
    const pages = [
      { lang: 'en', title: 'new' },
      { lang: 'fr', title: 'f' },
    ]
    expect((await service.put(path, { ...shop, info: { ...shop.info, pages } })).status).toBe(200)
    const rows = await service.db
      .selectFrom('page')
      .select(['lang', 'seen'])
      .where('infoId', '=', shop.id)
      .orderBy('lang')
      .execute()
    expect(rows).toEqual([
      { lang: 'en', seen: 7 },
      { lang: 'fr', seen: 0 },
    ])
  })

  test('a tree of them is made, changed in the middle and removed', async () => {
    const tree = (code: string, depth: number): JsonBody => ({
      code,
      nodes: depth === 0 ? [] : [tree(`${code}0`, depth - 1), { code: `${code}1` }],
    })
    const root = await service.add('/api/node', tree('r', 5))
    expect(await service.read('/api/node/r')).toEqual(root)
    const put = await service.put('/api/node/r00', {
      nodes: [
        { code: 'r000', name: 'kept' },
        { code: 'new', nodes: [{ code: 'newer' }] },
      ],
    })
    expect(put.body).toMatchObject({
      id: 'r00',
      nodes: [
        { id: 'new', nodes: [{ id: 'newer' }] },
        { id: 'r000', name: 'kept', nodes: [] },
      ],
    })
    await service.refuse(
      'PATCH',
      '/api/node/r01',
      { nodes: [{ code: 'r000' }] },
      { code: 'CRUD_ERR_EXISTS', pointers: ['/nodes/0/code'] },
    )
    expect((await service.delete('/api/node/r')).status).toBe(204)
    expect((await service.snapshot(['node'])).node).toEqual([])
  })
})
