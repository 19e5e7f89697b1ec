import { Type } from '@sinclair/typebox'
import { defineResources } from 'fastify-crud'
import { expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import { updatesIn } from '../../../../test/support/statement-log.ts'

const note = defineResources({
  note: {
    fields: {
      text: Type.Optional(Type.String()),
      short: Type.Optional(Type.String({ maxLength: 3 })),
      code: Type.Optional(Type.String({ pattern: '^[a-z]+$' })),
      size: Type.Optional(Type.Union([Type.Literal('small'), Type.Literal('large')])),
      amount: Type.Optional(Type.String({ pattern: '^-?\\d+\\.\\d+$' })),
      data: Type.Optional(Type.Any()),
    },
  },
})

describeOnBoth('a string', (database) => {
  const service = useApp(database, note)
  const kept: unknown[] = [
    '',
    ' ',
    ' a ',
    'a\nb\r\n\tc',
    "it's; drop table note; --",
    '"',
    '\\',
    '%_',
    '$1 ? :a',
    'null',
    '0',
    '𝒳é😀',
    'e\u0301',
    '\u007f\u0001',
    '\ufeff',
    'x'.repeat(100_000),
  ]

  for (const text of kept) {
    test(`comes back as it was given: ${JSON.stringify(text).slice(0, 30)}`, async () => {
      const record = await service.add('/api/note', { text })
      expect(record.text).toBe(text)
      expect((await service.read(`/api/note/${record.id}`)).text).toBe(text)
      const statements = await service.statements(() => service.put(`/api/note/${record.id}`, record))
      expect(updatesIn(statements)).toEqual([])
    })
  }

  test('U+0000 and lone surrogates are 400 on both', async () => {
    const { id } = await service.add('/api/note', { text: 'a' })
    for (const text of ['\u0000', 'a\u0000b', '\ud800', 'a\udc00', '\udc00\ud800']) {
      const refused = { code: 'CRUD_ERR_INVALID', pointers: ['/text'] } as const
      await service.refuse('POST', '/api/note', { text }, refused)
      await service.refuse('PUT', `/api/note/${id}`, { text }, refused)
      await service.refuse('PATCH', `/api/note/${id}`, { text }, refused)
    }
  })

  test('text longer than `maxLength` is 400; characters are counted, not units', async () => {
    expect((await service.add('/api/note', { short: 'abc' })).short).toBe('abc')
    expect((await service.add('/api/note', { short: '😀😀😀' })).short).toBe('😀😀😀')
    await service.refuse('POST', '/api/note', { short: 'abcd' }, { code: 'CRUD_ERR_INVALID', pointers: ['/short'] })
  })

  test('a pattern and an enum hold', async () => {
    expect((await service.add('/api/note', { code: 'abc', size: 'large' })).size).toBe('large')
    await service.refuse(
      'POST',
      '/api/note',
      { code: 'A', size: 'medium' },
      {
        code: 'CRUD_ERR_INVALID',
        pointers: ['/code', '/size'],
      },
    )
    await service.refuse('POST', '/api/note', { size: '' }, { code: 'CRUD_ERR_INVALID', pointers: ['/size'] })
  })

  test('a decimal comes back as it was written', async () => {
    for (const amount of ['12.50', '0.10', '-0.00', '123456789012345678901234567890.123456789']) {
      const record = await service.add('/api/note', { amount })
      expect(record.amount).toBe(amount)
      expect((await service.read(`/api/note/${record.id}`)).amount).toBe(amount)
    }
    await service.refuse('POST', '/api/note', { amount: 12.5 }, { code: 'CRUD_ERR_INVALID', pointers: ['/amount'] })
  })
})

describeOnBoth('a JSON field', (database) => {
  const service = useApp(database, note)
  const kept: unknown[] = [
    {},
    [],
    { a: 1, b: [true, null, { c: 'x' }] },
    [1, 'x', null, [[]]],
    'x',
    '',
    'null',
    '{"a":1}',
    0,
    1.5,
    false,
    true,
    { id: 5, toString: 1, constructor: 2 },
    { snake_case: 1, camelCase: 2, '': 3, 'a b': 4, ä: 5 },
    "it's",
  ]

  for (const data of kept) {
    test(`comes back as it was given: ${JSON.stringify(data)}`, async () => {
      const record = await service.add('/api/note', { data })
      expect(record.data).toEqual(data)
      expect((await service.read(`/api/note/${record.id}`)).data).toEqual(data)
      const statements = await service.statements(() => service.put(`/api/note/${record.id}`, record))
      expect(updatesIn(statements)).toEqual([])
      expect((await service.patch(`/api/note/${record.id}`, { data: [data] })).body.data).toEqual([data])
    })
  }

  test('null is null', async () => {
    const { id, data } = await service.add('/api/note', { data: null })
    expect(data).toBeNull()
    await service.patch(`/api/note/${id}`, { data: { a: 1 } })
    expect((await service.patch(`/api/note/${id}`, { data: null })).body.data).toBeNull()
  })

  test('is replaced as a whole', async () => {
    const { id } = await service.add('/api/note', { data: { a: 1, b: 2 } })
    expect((await service.patch(`/api/note/${id}`, { data: { b: 3 } })).body.data).toEqual({ b: 3 })
  })

  test('a change of key order is no change', async () => {
    const { id } = await service.add('/api/note', { data: { a: 1, b: { c: 2, d: 3 } } })
    const statements = await service.statements(async () => {
      await service.patch(`/api/note/${id}`, { data: { b: { d: 3, c: 2 }, a: 1 } })
    })
    expect(updatesIn(statements)).toEqual([])
  })

  test('a change of element order is a change', async () => {
    const { id } = await service.add('/api/note', { data: [1, 2] })
    expect((await service.patch(`/api/note/${id}`, { data: [2, 1] })).body.data).toEqual([2, 1])
    expect((await service.read(`/api/note/${id}`)).data).toEqual([2, 1])
  })

  test('U+0000 and lone surrogates are 400 in it too, in keys and values', async () => {
    for (const data of ['\u0000', { a: ['x\u0000'] }, { '\u0000': 1 }, { a: '\ud800' }, { '\udc00': 1 }]) {
      await service.refuse('POST', '/api/note', { data }, { code: 'CRUD_ERR_INVALID', pointers: ['/data'] })
    }
  })
})
