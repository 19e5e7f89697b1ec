import { Type } from '@sinclair/typebox'
import { toStandardJsonSchema } from '@valibot/to-json-schema'
import { type } from 'arktype'
import { createStore, defineResources, field, ownedBy, owns } from 'fastify-crud'
import * as v from 'valibot'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import { errorLog } from '../../../../test/support/error-log.ts'

const isPalindrome = (text: string) => text === [...text].reverse().join('')

/** Each library's schema of the same fields. */
const libraries = {
  zod: {
    name: z.string().min(1).max(20).refine(isPalindrome, 'must be a palindrome'),
    price: z.number().min(0).optional(),
    nick: z.string().nullable(),
    kind: z.enum(['a', 'b']),
    code: z.string().trim(),
    address: z.object({
      city: z.string().trim(),
      'a/b': z
        .string()
        .refine((text) => text !== 'x', 'must not be x')
        .optional(),
    }),
  },
  arktype: {
    name: type('1 <= string <= 20').narrow((text, on) => isPalindrome(text) || on.mustBe('a palindrome')),
    price: type('number >= 0 | undefined'),
    nick: type('string | null'),
    kind: type("'a' | 'b'"),
    code: type('string.trim'),
    address: type({
      city: 'string.trim',
      'a/b?': type('string').narrow((text, on) => text !== 'x' || on.mustBe('not x')),
    }),
  },
  valibot: {
    name: toStandardJsonSchema(
      v.pipe(v.string(), v.minLength(1), v.maxLength(20), v.check(isPalindrome, 'must be a palindrome')),
    ),
    price: toStandardJsonSchema(v.optional(v.pipe(v.number(), v.minValue(0)))),
    nick: toStandardJsonSchema(v.nullable(v.string())),
    kind: toStandardJsonSchema(v.picklist(['a', 'b'])),
    code: toStandardJsonSchema(v.pipe(v.string(), v.trim())),
    address: toStandardJsonSchema(
      v.object({
        city: v.pipe(v.string(), v.trim()),
        'a/b': v.optional(
          v.pipe(
            v.string(),
            v.check((text) => text !== 'x', 'must not be x'),
          ),
        ),
      }),
    ),
  },
}

const given = { name: 'anna', nick: null, kind: 'a', code: 'c', address: { city: 'Wien' } }

for (const [library, fields] of Object.entries(libraries)) {
  const resources = defineResources({
    shop: {
      fields: { title: Type.String() },
      relations: { items: owns.many('item'), best: owns.one('best') },
    },
    item: { fields, relations: { shop: ownedBy('shop') } },
    best: { fields: { name: fields.name }, relations: { shop: ownedBy('shop') } },
    single: { fields },
  })

  describeOnBoth(`fields of ${library}`, (database) => {
    const service = useApp(database, resources)

    test('are stored and shown as others', async () => {
      const record = await service.add('/api/single', { ...given, price: 2.5 })
      expect(record).toEqual({ id: record.id, ...given, price: 2.5 })
      expect((await service.put(`/api/single/${record.id}`, record)).body).toEqual(record)
      expect((await service.patch(`/api/single/${record.id}`, { nick: 'x', kind: 'b' })).body).toEqual({
        ...record,
        nick: 'x',
        kind: 'b',
      })
    })

    test('are filtered and sorted by', async () => {
      for (const price of [3, 1, 2]) await service.add('/api/single', { ...given, price })
      const { rows } = await service.read('/api/single?filter[price][gte]=2&sort=-price')
      expect(rows.map(({ price }: { price: number }) => price)).toEqual([3, 2])
    })

    test('may be left out where undefined is a value, and are null where null is', async () => {
      const record = await service.add('/api/single', given)
      expect(record).toMatchObject({ price: null, nick: null })
      const { nick, ...without } = given
      await service.refuse('POST', '/api/single', without, { code: 'CRUD_ERR_INVALID', pointers: ['/nick'] })
      const nothing = { ...given, kind: null }
      await service.refuse('POST', '/api/single', nothing, { code: 'CRUD_ERR_INVALID', pointers: ['/kind'] })
    })

    test('are checked by JSON Schema, and behind it by the library, all problems at once', async () => {
      const { id } = await service.add('/api/single', given)
      const body = { ...given, name: 'otto!', price: -1, kind: 'c', other: 1 }
      const refused = { code: 'CRUD_ERR_INVALID', pointers: ['/name', '/price', '/kind', '/other'] } as const
      const problem = await service.refuse('POST', '/api/single', body, refused)
      expect(problem.errors).toContainEqual({
        pointer: '/name',
        message: expect.stringContaining('palindrome'),
        keyword: 'validate',
      })
      expect(problem.errors).toContainEqual(expect.objectContaining({ pointer: '/price', keyword: 'minimum' }))
      await service.refuse('PUT', `/api/single/${id}`, body, refused)
      await service.refuse('PATCH', `/api/single/${id}`, body, refused)
      await service.refuse(
        'PATCH',
        `/api/single/${id}`,
        { name: '' },
        { code: 'CRUD_ERR_INVALID', pointers: ['/name'] },
      )
    })

    test('are refused where the library would change them', async () => {
      const body = { ...given, address: { city: ' Graz' } }
      await service.refuse('POST', '/api/single', body, { code: 'CRUD_ERR_INVALID', pointers: ['/address/city'] })
      const { id } = await service.add('/api/single', given)
      await service.refuse(
        'PATCH',
        `/api/single/${id}`,
        { code: 'c ' },
        { code: 'CRUD_ERR_INVALID', pointers: ['/code'] },
      )
    })

    test('have the pointer of a part of theirs', async () => {
      const body = { ...given, address: { city: 'Wien', 'a/b': 'x' } }
      await service.refuse('POST', '/api/single', body, { code: 'CRUD_ERR_INVALID', pointers: ['/address/a~1b'] })
    })

    test('are checked in many records, and at any depth', async () => {
      const body = [given, { ...given, name: 'abc' }, { ...given, code: ' ' }]
      const ofMany = { code: 'CRUD_ERR_INVALID', pointers: ['/1/name', '/2/code'] } as const
      await service.refuse('POST', '/api/single', body, ofMany)
      const shop = { title: 't', items: [given, { ...given, name: 'abc' }], best: { name: 'xy' } }
      const below = { code: 'CRUD_ERR_INVALID', pointers: ['/items/1/name', '/best/name'] } as const
      await service.refuse('POST', '/api/shop', shop, below)
      const made = await service.add('/api/shop', { ...shop, items: [given], best: { name: 'xx' } })
      const patch = { items: [{ id: made.items[0].id, name: 'ab' }] }
      const inPatch = { code: 'CRUD_ERR_INVALID', pointers: ['/items/0/name'] } as const
      await service.refuse('PATCH', `/api/shop/${made.id}`, patch, inPatch)
      await service.refuse(
        'PUT',
        `/api/shop/${made.id}`,
        { title: 't', items: [given, { ...given, name: 'ab' }] },
        {
          code: 'CRUD_ERR_INVALID',
          pointers: ['/items/1/name'],
        },
      )
    })
  })
}

const mixed = defineResources({
  mix: {
    fields: {
      boxed: Type.Optional(Type.String({ maxLength: 5 })),
      plain: { type: 'integer', default: 3 },
      zod: z.boolean().default(false),
      tags: z.array(z.string().toLowerCase()).max(3).optional(),
      ark: field(type('string'), { default: 'x', summary: false }),
      vali: field(toStandardJsonSchema(v.pipe(v.string(), v.isoTimestamp())), {
        readOnly: true,
        default: '2026-01-01T00:00:00Z',
      }),
      secret: field(z.string().trim().optional(), { writeOnly: true }),
      when: z.iso.datetime({ offset: true }).nullish(),
      day: z.iso.date().nullish(),
      bytes: z.base64().optional(),
      pair: z.tuple([z.string(), z.int()]).optional(),
    },
    unique: [['ark']],
  },
  late: {
    fields: { name: z.string().refine(async () => true) },
  },
})

const log = errorLog()
describeOnBoth('fields of several libraries', (database) => {
  const service = useApp(database, mixed, { fastify: log.fastify })

  test('stand side by side', async () => {
    const record = await service.add('/api/mix', {})
    expect(record).toEqual({
      id: record.id,
      ...{ boxed: null, plain: 3, zod: false, tags: null, ark: 'x', vali: '2026-01-01T00:00:00Z' },
      ...{ when: null, day: null, bytes: null, pair: null },
    })
    const other = { when: '2026-03-04T05:06:07Z', day: '2026-03-04', bytes: 'YQ==', pair: ['a', 1], tags: ['b'] }
    expect((await service.patch(`/api/mix/${record.id}`, other)).body).toEqual({ ...record, ...other })
    await service.refuse('POST', '/api/mix', {}, { code: 'CRUD_ERR_NOT_UNIQUE', pointers: ['/ark'] })
  })

  test('say what a value must be, but not of one that no answer shows', async () => {
    const body = { ark: 'y', tags: ['a', 'B'], secret: ' s', boxed: 'abcdef' }
    const { errors } = await service.refuse('POST', '/api/mix', body, { code: 'CRUD_ERR_INVALID' })
    expect(errors).toEqual([
      { pointer: '/tags/1', message: 'must be "b"', keyword: 'const', params: { allowedValue: 'b' } },
      { pointer: '/secret', message: 'must be as its schema makes it', keyword: 'const' },
      { pointer: '/boxed', message: 'must have at most 5 characters', keyword: 'maxLength', params: { limit: 5 } },
    ])
  })

  test('are 500 where their check is asynchronous, and the log says so', async () => {
    await service.refuse('POST', '/api/late', { name: 'a' }, { code: 'CRUD_ERR_INTERNAL' })
    expect(log.lines.join()).toContain("late.fields.name: the 'validate' of its schema is asynchronous")
  })

  test('are checked in a store, too', async () => {
    const store = createStore({ db: service.db, resources: mixed })
    await expect(store.mix.create({ tags: ['A'] })).rejects.toMatchObject({
      code: 'CRUD_ERR_INVALID',
      errors: [{ pointer: '/tags/0' }],
    })
    await expect(store.late.create({ name: 'a' })).rejects.toThrow('asynchronous')
  })
})
