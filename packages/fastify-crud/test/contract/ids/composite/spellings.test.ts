import { Type } from '@sinclair/typebox'
import { defineResources, type Model, needs, ownedBy, owns } from 'fastify-crud'
import { beforeEach, expect, test } from 'vitest'
import { useApp } from '../../../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../../../test/support/json-body.ts'

// No spelling of an id reaches another record, and none is an error of the server.

const name = Type.String()

const model = defineResources({
  box: { id: 'integer', fields: { name }, relations: { texts: owns.many('text'), numbers: owns.many('number') } },
  text: {
    id: ['box', 'left', 'right'],
    fields: { left: Type.String(), right: Type.String(), name },
    relations: { box: ownedBy('box') },
  },
  number: {
    id: ['box', 'left', 'right', 'tag'],
    fields: { left: Type.Integer(), right: Type.Integer(), name },
    relations: { box: ownedBy('box'), tag: needs.one('tag') },
  },
  tag: { id: 'text', fields: { name } },
  pair: { id: ['left', 'right'], fields: { left: Type.String(), right: Type.String(), name } },
}) as Model

/** Each text is one part of an id, and others that are spelled alike are parts of others. */
const PARTS = [
  'a',
  'a,b',
  'a~1b',
  'a~01b',
  'a/b',
  'a\\b',
  '~',
  '~0',
  '~9',
  'a~',
  '~~',
  ',',
  'A',
  'ａ',
  'а',
  'á',
  'a\u0301',
  ' a',
  'a ',
  '%2C',
  '%',
  '..',
  '.',
  '+',
  '?',
  '#',
  '1',
  '01',
  '\u202ea',
  '\u200ba',
]

const escapes = { '~': '~0', ',': '~1', '/': '~2', '\\': '~3' } as const
const escaped = (part: string) => part.replaceAll(/[~,/\\]/g, (one) => escapes[one as keyof typeof escapes])
const idOf = (left: string, right: string) => `${escaped(left)},${escaped(right)}`

describeOnBoth('spellings of ids of several parts', (database) => {
  const service = useApp(database, model, { fastify: { routerOptions: { maxParamLength: 2_000 } } })
  let box: JsonBody
  let path: string

  beforeEach(async () => {
    const pairs = PARTS.flatMap((left) => ['b', left].map((right) => ({ left, right, name: `${left} ${right}` })))
    for (const id of ['t', 'u,1', '1']) await service.add('/api/tag', { id, name: id })
    const numbers = [1, 12, -1].map((left) => ({ left, right: 2, tagId: 'u,1', name: `${left}` }))
    box = await service.add('/api/box', { name: 'n', texts: pairs, numbers })
    path = `/api/box/${box.id}`
    for (const pair of pairs) await service.db.insertInto('pair').values(pair).execute()
  })

  test('each record has its own, and is found by it in a path, a body and a filter', async () => {
    const ids = new Set<string>()
    for (const text of box.texts) {
      expect(text.id).toBe(idOf(text.left, text.right))
      ids.add(text.id)
      for (const collection of [`${path}/text`, '/api/pair']) {
        expect(await service.read(`${collection}/${encodeURIComponent(text.id)}`)).toEqual(text)
        const { rows } = await service.read(`${collection}?filter[id]=${encodeURIComponent(text.id)}`)
        expect(rows).toEqual([text])
      }
      expect(await service.put('/api/pair', text)).toMatchObject({ status: 200, body: text })
    }
    expect(ids.size).toBe(box.texts.length)
    expect(await service.put(path, box)).toMatchObject({ status: 200, body: box })
  })

  /** What is no record's id, in a path as it stands there. */
  const NO_IDS = [
    '',
    ',',
    'a',
    'a,',
    ',b',
    'a,b,b',
    'a,b,',
    ',a,b',
    'a,b/',
    'a,b,b,b',
    'b,a',
    'a;b',
    'a%2Cb%2Cb',
    'a~1b,b,b',
    'a%00,b',
    'a,b%00',
    'a%0,b',
    '%,b',
    'a%FF,b',
    '%C3%28,b',
    'a%ED%A0%80,b',
    'null,b',
    'undefined,b',
    '__proto__,b',
    'constructor',
    'a,b%20',
    '%20a,%20b',
    "a,b'--",
    "a' or '1'='1,b",
    '[a,b]',
    '{a},b',
    'A,B',
    'a~2b,c',
    '~4,~4',
    '~,~1',
    `${'x'.repeat(300)},b`,
    `a,${'~'.repeat(300)}`,
    ','.repeat(300),
    `${'a,'.repeat(300)}b`,
  ]

  test.each(NO_IDS)('reach no record by %j', async (id) => {
    const before = await service.snapshot()
    for (const url of [`${path}/text/${id}`, `/api/pair/${id}`]) {
      for (const [method, body] of [
        ['GET'],
        ['DELETE'],
        ['PATCH', { name: 'x' }],
        ['PUT', { name: 'x' }],
        ['HEAD'],
      ] as const) {
        const { status, body: problem } = await service.request(method, url, body)
        expect([400, 404, 405], `${method} ${url} ${JSON.stringify(problem)}`).toContain(status)
      }
    }
    expect(await service.snapshot()).toEqual(before)
  })

  test('that are not as answers spell them reach their own record, or none', async () => {
    const before = await service.snapshot()
    for (const [spelled, id] of [
      ['~9,b', '~09,b'],
      ['a~,b', 'a~0,b'],
      ['~~,b', '~0~0,b'],
      ['a~1b,b', 'a~1b,b'],
      ['a~01b,b', 'a~01b,b'],
      ['a%2fb,b', 'a~2b,b'],
      ['a%5Cb,b', 'a~3b,b'],
    ] as const) {
      const { status, body } = await service.get(`/api/pair/${spelled}`)
      if (status === 200) expect([spelled, body.id]).toEqual([spelled, id])
      else expect([400, 404]).toContain(status)
    }
    expect(await service.snapshot()).toEqual(before)
  })

  test.each([
    '1,2',
    '1,2,',
    '1,2,u',
    '1,2,u,1',
    '01,2,u~11',
    '1,02,u~11',
    '+1,2,u~11',
    '1.0,2,u~11',
    '1e0,2,u~11',
    '1,2,u~1',
    '--1,2,u~11',
    '-0,2,u~11',
    '١,2,u~11',
    '１,2,u~11',
    '0x1,2,u~11',
    '1 ,2,u~11',
    '1,2,u~01',
    '99999999999999999999,2,u~11',
    '-99999999999999999999,2,u~11',
    '9007199254740993,2,t',
    '1n,2,u~11',
    'NaN,2,t',
    `${'1'.repeat(300)},2,t`,
  ])('with numbers reach no record by %j', async (id) => {
    const before = await service.snapshot()
    const url = `${path}/number/${encodeURIComponent(id)}`
    for (const [method, body] of [['GET'], ['DELETE'], ['PATCH', { name: 'x' }], ['PUT', { name: 'x' }]] as const) {
      const { status, body: problem } = await service.request(method, url, body)
      expect([400, 404], `${method} ${url} ${JSON.stringify(problem)}`).toContain(status)
    }
    const inBody = await service.patch(path, { numbers: [{ id, name: 'x' }] })
    expect([400, 409], JSON.stringify(inBody.body)).toContain(inBody.status)
    const found = await service.get(`${path}/number?filter[id]=${encodeURIComponent(id)}`)
    if (found.status === 200) expect(found.body.rows).toEqual([])
    else expect(found.status).toBe(400)
    expect(await service.snapshot()).toEqual(before)
  })

  test.each(['1,-2,u~11', '2,1,u~11', '1,2,1'])(
    'of no record is 404 in a path, and a new record in a body: %j',
    async (id) => {
      const url = `${path}/number/${encodeURIComponent(id)}`
      const notFound = { code: 'CRUD_ERR_NOT_FOUND' } as const
      for (const [method, body] of [['GET'], ['DELETE'], ['PATCH', {}], ['PUT', { name: 'x' }]] as const) {
        await service.refuse(method, url, body, notFound)
      }
      const { body } = await service.patch(path, { numbers: [{ id, name: 'x' }] })
      expect(body.numbers).toHaveLength(4)
      for (const number of box.numbers) expect(body.numbers).toContainEqual(number)
      expect(await service.read(url)).toMatchObject({ id, name: 'x' })
    },
  )

  test.each([null, true, 1, 1.5, {}, [], ['a', 'b'], { left: 'a' }, '', 'a', 'a,b,b', '\u0000,b', '\ud800,b'])(
    'in a body, %j is no id',
    async (id) => {
      const invalid = { code: 'CRUD_ERR_INVALID' } as const
      await service.refuse('PATCH', path, { texts: [{ id, name: 'x' }] }, { ...invalid, pointers: ['/texts/0/id'] })
      await service.refuse(
        'PUT',
        path,
        { name: 'n', texts: [{ id, name: 'x' }] },
        { ...invalid, pointers: ['/texts/0/id'] },
      )
      await service.refuse('PUT', '/api/pair', { id, name: 'x' }, { ...invalid, pointers: ['/id'] })
      await service.refuse('POST', '/api/pair', { id, name: 'x' }, { ...invalid, pointers: ['/id'] })
    },
  )

  test.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty'])(
    '%s is a part like any other, and no property',
    async (word) => {
      const body = { left: word, right: word, name: 'w' }
      expect(await service.post('/api/pair', body)).toMatchObject({ status: 201, body: { id: `${word},${word}` } })
      expect(await service.read(`/api/pair/${word},${word}`)).toMatchObject(body)
      const texts = await service.patch(path, { texts: [body] })
      expect(texts.body.texts.filter(({ left }: JsonBody) => left === word)).toEqual([
        { id: `${word},${word}`, ...body },
      ])
      const raw = `{"left":"x","right":"y","name":"z","${word}":{}}`
      const { status } = await service.raw('POST', '/api/pair', raw)
      expect(status).toBe(400)
    },
  )
})
