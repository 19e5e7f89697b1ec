import { Type } from '@sinclair/typebox'
import { defineResources, ownedBy, owns } from 'fastify-crud'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'

const number = Type.Optional(Type.Integer())
const commas = defineResources({
  r: {
    fields: { both: number, a: number, b: number },
    relations: { children: owns.many('child') },
    columns: { both: 'a,b' },
  },
  child: { fields: { both: number, a: number, b: number }, relations: { r: ownedBy('r') }, columns: { both: 'a,b' } },
})

describeOnBoth('fields in columns called `a,b`, `a` and `b`', (database) => {
  const service = useApp(database, commas)

  test('are told apart, whichever are written together', async () => {
    const { id, children } = await service.add('/api/r', { children: [{}] })
    const path = `/api/r/${id}`
    await service.patch(path, { both: 1, children: [{ id: children[0].id, both: 11 }] })
    await service.patch(path, { a: 2, b: 3, children: [{ id: children[0].id, a: 12, b: 13 }] })
    expect(await service.read(path)).toEqual({
      id,
      both: 1,
      a: 2,
      b: 3,
      children: [{ id: children[0].id, both: 11, a: 12, b: 13 }],
    })
  })

  test('are told apart in new records, too', async () => {
    const children = [{ both: 4 }, { a: 5, b: 6 }, { b: 7, both: 8 }]
    const record = await service.add('/api/r', { both: 1, children })
    expect(record).toMatchObject({ both: 1, a: null, b: null })
    expect(record.children).toMatchObject([
      { both: 4, a: null, b: null },
      { both: null, a: 5, b: 6 },
      { both: 8, a: null, b: 7 },
    ])
  })
})

const sixtyFour = 'x'.repeat(64)
const hundred = 'y'.repeat(100)
const wide = 'ä'.repeat(40)
const long = defineResources({
  r: {
    fields: { [sixtyFour]: Type.String(), [hundred]: Type.Optional(Type.Integer()), [wide]: Type.Optional(Type.Any()) },
    unique: [[sixtyFour]],
  },
})

describeOnBoth('a field whose name is longer than 63 bytes', (database) => {
  const service = useApp(database, long)

  test('keeps its value', async () => {
    const values = { [sixtyFour]: 'a', [hundred]: 1, [wide]: { c: [2] } }
    const { id, ...stored } = await service.add('/api/r', values)
    expect(stored).toEqual(values)
    const path = `/api/r/${id}`
    expect(await service.read(path)).toEqual({ id, ...values })
    expect(await service.read('/api/r')).toEqual({ rows: [{ id, ...values }], count: 1 })
    const others = { [sixtyFour]: 'b', [hundred]: 3, [wide]: null }
    expect((await service.put(path, others)).body).toEqual({ id, ...others })
    expect((await service.patch(path, { [hundred]: 4 })).body).toEqual({ id, ...others, [hundred]: 4 })
    expect(await service.read(path)).toEqual({ id, ...others, [hundred]: 4 })
  })

  test('is named where its value is taken', async () => {
    await service.add('/api/r', { [sixtyFour]: 'a' })
    const taken = { code: 'CRUD_ERR_NOT_UNIQUE', pointers: [`/${sixtyFour}`], detail: /x{64}/ } as const
    await service.refuse('POST', '/api/r', { [sixtyFour]: 'a' }, taken)
  })
})

const odd = defineResources({
  r: { fields: { name: Type.String() }, relations: { children: owns.many('child') } },
  child: {
    fields: { name: Type.String(), note: Type.Optional(Type.String()) },
    columns: { name: '__proto__' },
    relations: { r: ownedBy('r') },
  },
})

describeOnBoth('a column called `__proto__`', (database) => {
  const service = useApp(database, odd)

  test('keeps its values', async () => {
    const names = Array.from({ length: 20 }, (_, index) => ({ name: `n${index}`, note: null }))
    const { id, children } = await service.add('/api/r', { name: 'r', children: names })
    expect(children).toMatchObject(names)
    const changed = children.map((child: { id: number }, index: number) =>
      index % 2 === 0 ? { ...child, name: `m${index}` } : { ...child, note: 'x' },
    )
    await service.put(`/api/r/${id}`, { name: 'r', children: changed })
    expect(await service.read(`/api/r/${id}`)).toEqual({ id, name: 'r', children: changed })
  })
})

const numbered = defineResources({
  r: { fields: { name: Type.String() }, relations: { children: owns.many('child') } },
  child: { fields: { number: Type.Integer() }, relations: { r: ownedBy('r') }, unique: [['r', 'number']] },
})

describeOnBoth('a column that is not in the model, called as rows are in statements', (database) => {
  const service = useApp(database, numbered)

  test('does not get in the way of many rows, or of the look for a unique value', async () => {
    await sql`alter table child add column crud_record integer`.execute(service.db)
    const numbers = Array.from({ length: 12 }, (_, index) => index)
    const record = await service.add('/api/r', { name: 'a', children: numbers.map((number) => ({ number })) })
    const path = `/api/r/${record.id}`
    const children = record.children.map(({ id }: { id: number }, index: number) => ({ id, number: index + 20 }))
    expect((await service.patch(path, { children })).body).toEqual({ ...record, children })
    await service.refuse('POST', `${path}/child`, { number: 20 }, { code: 'CRUD_ERR_NOT_UNIQUE' })
  })
})
