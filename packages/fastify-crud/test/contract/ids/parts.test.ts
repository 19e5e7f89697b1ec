import { Type } from '@sinclair/typebox'
import { defineResources, type Model, needs, ownedBy, owns } from 'fastify-crud'
import { beforeEach, expect, test } from 'vitest'
import { useApp } from '../../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../../test/support/json-body.ts'
import { at } from './kinds.ts'

const model = defineResources({
  shop: {
    fields: { name: Type.String() },
    relations: { prices: owns.many('price'), phrases: owns.many('phrase'), sign: owns.one('sign') },
  },
  sign: {
    id: ['shop', 'number', 'side'],
    fields: { number: Type.Integer(), side: Type.String(), text: Type.String() },
    relations: { shop: ownedBy('shop') },
  },
  price: {
    id: ['day', 'shop', 'currency'],
    fields: {
      day: Type.String({ format: 'date' }),
      currency: Type.Union([Type.Literal('EUR'), Type.Literal('USD')]),
      amount: Type.Integer(),
    },
    relations: { shop: ownedBy('shop') },
  },
  phrase: {
    id: ['shop', 'locale', 'form'],
    fields: { locale: Type.String(), form: Type.String(), text: Type.String() },
    relations: { shop: ownedBy('shop') },
  },
  reading: {
    id: ['sensor', 'takenAt', 'position'],
    fields: {
      sensor: Type.String(),
      takenAt: Type.String({ format: 'date-time' }),
      position: Type.Integer(),
      value: Type.Integer(),
    },
  },
  label: {
    id: ['code'],
    fields: { code: Type.String({ maxLength: 20 }), name: Type.String() },
    relations: { items: owns.many('item'), aliases: owns.many('alias') },
  },
  item: { fields: { name: Type.String() }, relations: { label: ownedBy('label') } },
  alias: { id: ['label', 'name'], fields: { name: Type.String() }, relations: { label: ownedBy('label') } },
  use: { fields: { name: Type.String() }, relations: { label: needs.one('label') } },
  year: { id: ['number'], fields: { number: Type.Integer(), name: Type.String() } },
}) as Model

describeOnBoth('parts of ids', (database) => {
  const service = useApp(database, model)
  const invalid = { code: 'CRUD_ERR_INVALID' } as const
  const exists = { code: 'CRUD_ERR_EXISTS' } as const
  let shop: JsonBody
  let path: string

  beforeEach(async () => {
    const prices = [
      { day: '2026-11-02', currency: 'USD', amount: 3 },
      { day: '2026-11-02', currency: 'EUR', amount: 2 },
      { day: '2026-11-01', currency: 'EUR', amount: 1 },
    ]
    shop = await service.add('/api/shop', { name: 's', prices })
    path = `/api/shop/${shop.id}`
  })

  test('may be dates and enums, and are in the order in which they are declared', async () => {
    const ids = ['2026-11-01,EUR', '2026-11-02,EUR', '2026-11-02,USD']
    expect(shop.prices.map((price: JsonBody) => price.id)).toEqual(ids)
    for (const price of shop.prices) expect(await service.read(`${path}/price/${price.id}`)).toEqual(price)
    expect((await service.read(`${path}/price?sort=-id`)).rows.map((row: JsonBody) => row.id)).toEqual(ids.reverse())
    const prices = [{ day: '2026-11-02', currency: 'EUR', amount: 20 }]
    expect((await service.put(path, { ...shop, prices })).body.prices).toEqual([
      { id: '2026-11-02,EUR', day: '2026-11-02', currency: 'EUR', amount: 20 },
    ])
  })

  test('that no value of the member can be make a path that names nothing', async () => {
    for (const id of ['2026-11-01,GBP', '2026-13-01,EUR', '1,EUR', 'EUR,2026-11-01']) {
      await service.refuse('GET', at(`${path}/price`, id), undefined, { code: 'CRUD_ERR_NOT_FOUND' })
    }
    for (const id of ['2026-11-01', '2026-11-01,1,EUR', ',,']) {
      await service.refuse('GET', at(`${path}/price`, id), undefined, invalid)
    }
    const two = [{ day: '2026-13-01', currency: 'GBP', amount: 1 }]
    const pointers = ['/prices/0/currency', '/prices/0/day']
    await service.refuse('PATCH', path, { prices: two }, { ...invalid, pointers })
    await service.refuse('PATCH', path, { prices: [{ id: '2026-11-09', amount: 1 }] }, invalid)
  })

  test.each([
    'a,b',
    'a/b',
    'a\\b',
    '~',
    '~0',
    '~1',
    '.',
    '..',
    '',
    ' ',
    '$x',
    'é',
    'e\u0301',
    "'; drop table x --",
    '%2F',
  ])('may be any text: %j', async (locale) => {
    const id = `${locale.replaceAll('~', '~0').replaceAll(',', '~1').replaceAll('/', '~2').replaceAll('\\', '~3')},f`
    const created = await service.post(`${path}/phrase`, { locale, form: 'f', text: 't' })
    expect(created).toMatchObject({ status: 201, body: { id, locale } })
    expect(created.headers.location).toBe(at(`${path}/phrase`, id))
    expect(await service.read(at(`${path}/phrase`, id))).toEqual(created.body)
    const all = await service.read(path)
    expect(all.phrases).toEqual([created.body])
    expect(await service.put(path, all)).toMatchObject({ status: 200, body: all })
    await service.refuse('POST', `${path}/phrase`, { locale, form: 'f', text: 't' }, exists)
    expect(await service.delete(at(`${path}/phrase`, id))).toMatchObject({ status: 204 })
  })

  test('that are texts are told apart, whatever separators they have', async () => {
    const sensors = ['a', 'a,1', 'a~1', '1', 'a/', 'A']
    const takenAt = '2026-11-27T10:00:00Z'
    const made: JsonBody[] = []
    for (const [value, sensor] of sensors.entries()) {
      made.push(await service.add('/api/reading', { sensor, takenAt, position: 1, value }))
    }
    expect(made.map(({ id }) => id)).toEqual(
      ['a', 'a~11', 'a~01', '1', 'a~2', 'A'].map((sensor) => `${sensor},${made[0]?.takenAt},1`),
    )
    for (const reading of made) {
      expect(await service.read(at('/api/reading', reading.id))).toEqual(reading)
      const { rows } = await service.read(`/api/reading?filter[id]=${encodeURIComponent(reading.id)}`)
      expect(rows).toEqual([reading])
      expect(await service.put('/api/reading', reading)).toMatchObject({ status: 200, body: reading })
    }
    const seen: unknown[] = []
    let after = ''
    do {
      const { rows, next } = await service.read(`/api/reading?limit=1${after}`)
      seen.push(...rows)
      after = next === undefined ? '' : `&after=${next}`
    } while (after !== '')
    expect(seen).toHaveLength(made.length)
    await service.refuse('POST', '/api/reading', { sensor: 'a', takenAt, position: 1, value: 9 }, exists)
    for (const reading of made)
      expect(await service.delete(at('/api/reading', reading.id))).toMatchObject({ status: 204 })
  })

  test('that are moments are read in any zone, and answered in one', async () => {
    const body = { sensor: 's', takenAt: '2026-11-27T12:00:00.25+02:00', position: -1, value: 1 }
    const created = await service.post('/api/reading', body)
    expect(created.status).toBe(201)
    const { id, takenAt } = created.body
    expect(id).toBe(`s,${takenAt},-1`)
    expect(await service.read(at('/api/reading', id))).toEqual(created.body)
    expect(await service.put(at('/api/reading', id), created.body)).toMatchObject({ status: 200, body: created.body })
  })

  test('a single text as an id has the rules of text ids', async () => {
    const label = await service.add('/api/label', { code: 'a b', name: 'n', items: [{ name: 'i' }] })
    expect(label).toMatchObject({ id: 'a b', code: 'a b' })
    expect(await service.read(at('/api/label', 'a b'))).toEqual(label)
    for (const code of ['', 'a/b', '$a', '..', 'a\u0000', 'x'.repeat(21)]) {
      await service.refuse('POST', '/api/label', { code, name: 'n' }, { ...invalid, pointers: ['/code'] })
    }
    expect(await service.post('/api/label/c', { name: 'n' })).toMatchObject({ status: 201, body: { code: 'c' } })
    await service.refuse('POST', '/api/label/d', { code: 'e', name: 'n' }, { ...invalid, pointers: ['/code'] })
    const use = await service.add('/api/use', { name: 'u', labelId: 'a b' })
    expect(use).toMatchObject({ labelId: 'a b' })
    await service.refuse('DELETE', at('/api/label', 'a b'), undefined, { code: 'CRUD_ERR_STILL_NEEDED' })
    await service.refuse('PATCH', at('/api/label', 'a b'), { code: 'z' }, { ...invalid, pointers: ['/code'] })
    expect(await service.patch(at('/api/label', 'a b'), { name: 'm', code: 'a b' })).toMatchObject({ status: 200 })
  })

  test('a single text beside the owner has the rules of text ids, too', async () => {
    const names = ['a,b', '~1', 'é', '%2F']
    const aliases = names.map((name) => ({ name }))
    const label = await service.add('/api/label', { code: 'c', name: 'n', aliases })
    for (const name of names) expect(await service.read(at('/api/label/c/alias', name))).toEqual({ id: name, name })
    expect(await service.put('/api/label/c', label)).toMatchObject({ status: 200, body: label })
    for (const name of ['', 'a/b', '$a', '..', 'x'.repeat(101)]) {
      await service.refuse('POST', '/api/label/c/alias', { name }, { ...invalid, pointers: ['/name'] })
    }
    await service.db.insertInto('alias').values({ labelId: 'c', name: 'a/b' }).execute()
    expect(await service.read(at('/api/label/c/alias', 'a/b'))).toEqual({ id: 'a/b', name: 'a/b' })
  })

  test('a single integer as an id is an integer id that the client gives', async () => {
    expect(await service.add('/api/year', { number: 2026, name: 'y' })).toEqual({ id: 2026, number: 2026, name: 'y' })
    expect(await service.add('/api/year', { id: 2027, name: 'y' })).toMatchObject({ id: 2027, number: 2027 })
    for (const number of [0, -4, 3_000_000_000]) {
      expect(await service.add('/api/year', { number, name: 'y' })).toMatchObject({ id: number })
      expect(await service.patch(`/api/year/${number}`, { name: 'z' })).toMatchObject({ body: { id: number } })
    }
    expect(await service.read('/api/year/2026')).toMatchObject({ number: 2026 })
    await service.refuse('GET', '/api/year/x', undefined, invalid)
    await service.refuse('POST', '/api/year', { id: 1, number: 2, name: 'y' }, { ...invalid, pointers: ['/number'] })
  })

  test('need not be repeated in the one record that an owner has', async () => {
    await service.patch(path, { sign: { number: 1, side: 'left', text: 'a' } })
    const before = await service.read(path)
    expect(before).toMatchObject({ sign: { id: '1,left', number: 1, side: 'left', text: 'a' } })
    expect(await service.put(path, { ...before, sign: { text: 'b' } })).toMatchObject({
      status: 200,
      body: { sign: { id: '1,left', number: 1, side: 'left', text: 'b' } },
    })
    expect(await service.patch(path, { sign: { text: 'c' } })).toMatchObject({ body: { sign: { text: 'c' } } })
    await service.refuse(
      'PUT',
      path,
      { ...before, sign: { number: 2, text: 'd' } },
      { ...invalid, pointers: ['/sign/number'] },
    )
  })

  test('are missing in a new one record that an owner is to have', async () => {
    const pointers = ['/sign/number', '/sign/side']
    await service.refuse('PUT', path, { ...shop, sign: { text: 'a' } }, { ...invalid, pointers })
    await service.refuse('PATCH', path, { sign: { text: 'a' } }, { ...invalid, pointers })
  })

  test('are not missing beside an id that is none', async () => {
    const refused = { ...invalid, pointers: ['/phrases/0/id'] }
    await service.refuse('POST', '/api/shop', { name: 's', phrases: [{ id: [], text: 'x' }] }, refused)
    await service.refuse('PATCH', path, { phrases: [{ id: 'a', text: 'x' }] }, refused)
  })
})
