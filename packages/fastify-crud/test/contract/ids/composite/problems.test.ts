import { Type } from '@sinclair/typebox'
import { createStore, defineResources, type Model, needs, ownedBy, owns } from 'fastify-crud'
import { beforeEach, expect, test } from 'vitest'
import { useApp } from '../../../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../../../test/support/json-body.ts'
import { expectProblem } from '../../../../../../test/support/problem.ts'

const parts = {
  day: Type.String({ format: 'date' }),
  level: Type.Union([Type.Literal('low'), Type.Literal('high')]),
  code: Type.String({ minLength: 2, maxLength: 4, pattern: '^[a-z]+$' }),
  number: Type.Integer({ minimum: 1, maximum: 9 }),
}

const model = defineResources({
  log: { id: 'integer', fields: { name: Type.String() }, relations: { entries: owns.many('entry') } },
  entry: {
    id: ['log', 'day', 'level', 'code', 'number', 'topic'],
    fields: { ...parts, text: Type.String() },
    relations: { log: ownedBy('log'), topic: needs.one('topic') },
  },
  topic: { id: 'uuid', fields: { name: Type.String() } },
  single: { id: ['code'], fields: { code: parts.code, text: Type.String() } },
}) as Model

type Wrong = readonly [name: string, value: unknown, problem: { readonly keyword: string; readonly params?: object }]

const WRONG: readonly Wrong[] = [
  ['day', undefined, { keyword: 'required', params: { missingProperty: 'day' } }],
  ['day', null, { keyword: 'notNull' }],
  ['day', 5, { keyword: 'type', params: { type: 'string' } }],
  ['day', '2026-02-30', { keyword: 'format', params: { format: 'date' } }],
  ['level', undefined, { keyword: 'required', params: { missingProperty: 'level' } }],
  ['level', 'none', { keyword: 'enum', params: { allowedValues: ['low', 'high'] } }],
  ['code', null, { keyword: 'notNull' }],
  ['code', 7, { keyword: 'type', params: { type: 'string' } }],
  ['code', 'a', { keyword: 'minLength', params: { limit: 2 } }],
  ['code', 'abcde', { keyword: 'maxLength', params: { limit: 4 } }],
  ['code', 'A,b', { keyword: 'pattern', params: { pattern: '^[a-z]+$' } }],
  ['number', undefined, { keyword: 'required', params: { missingProperty: 'number' } }],
  ['number', null, { keyword: 'notNull' }],
  ['number', '1', { keyword: 'type', params: { type: 'integer' } }],
  ['number', 1.5, { keyword: 'type', params: { type: 'integer' } }],
  ['number', 0, { keyword: 'minimum', params: { comparison: '>=', limit: 1 } }],
  ['number', 10, { keyword: 'maximum', params: { comparison: '<=', limit: 9 } }],
  ['topicId', undefined, { keyword: 'required', params: { missingProperty: 'topicId' } }],
  ['topicId', null, { keyword: 'notNull' }],
  ['topicId', 'x', { keyword: 'id', params: { type: 'uuid' } }],
]

describeOnBoth('problems of the parts of an id', (database) => {
  const service = useApp(database, model)
  const invalid = { code: 'CRUD_ERR_INVALID' } as const
  let topic: JsonBody
  let log: JsonBody
  let path: string
  let entry: JsonBody

  beforeEach(async () => {
    topic = await service.add('/api/topic', { name: 't' })
    entry = { day: '2026-11-28', level: 'low', code: 'abc', number: 1, topicId: topic.id, text: 'x' }
    log = await service.add('/api/log', { name: 'l', entries: [entry] })
    path = `/api/log/${log.id}`
  })

  /** The problem, and no other. */
  async function expectOne(method: string, url: string, body: unknown, problem: object): Promise<void> {
    const { errors } = await service.refuse(method, url, body, invalid)
    expect(errors, JSON.stringify([method, url, body])).toHaveLength(1)
    expect(errors[0]).toMatchObject(problem)
  }

  test.each(WRONG)('say what JSON Schema says: %s %j', async (name, value, problem) => {
    const wrong = { ...entry, [name]: value }
    for (const prefix of ['/entries/0', '']) {
      const place = { pointer: `${prefix}/${name}`, ...problem }
      if (prefix === '') await expectOne('POST', `${path}/entry`, wrong, place)
      else {
        await expectOne('POST', '/api/log', { name: 'm', entries: [wrong] }, place)
        await expectOne('PUT', path, { name: 'm', entries: [wrong] }, place)
        await expectOne('PATCH', path, { entries: [wrong] }, place)
      }
    }
    const its = `${path}/entry/${encodeURIComponent(log.entries[0].id)}`
    if (value !== undefined) {
      await expectOne('PUT', its, wrong, { pointer: `/${name}`, keyword: problem.keyword })
      await expectOne('PATCH', its, { [name]: value }, { pointer: `/${name}`, keyword: problem.keyword })
    }
  })

  test('name the stored value where another one is given', async () => {
    const [stored] = log.entries
    const its = `${path}/entry/${encodeURIComponent(stored.id)}`
    const other = await service.add('/api/topic', { name: 'u' })
    for (const [name, value] of [
      ['day', '2026-11-29'],
      ['level', 'high'],
      ['code', 'xyz'],
      ['number', 2],
      ['topicId', other.id],
    ] as const) {
      const problem = { keyword: 'const', params: { allowedValue: stored[name] } }
      const { topic: _, ...flat } = stored
      await expectOne('PUT', its, { ...flat, id: undefined, [name]: value }, { pointer: `/${name}`, ...problem })
      await expectOne('PUT', `${path}/entry`, { ...flat, [name]: value }, { pointer: `/${name}`, ...problem })
      await expectOne('PATCH', its, { [name]: value }, { pointer: `/${name}`, ...problem })
      const listed = { entries: [{ id: stored.id, [name]: value }] }
      await expectOne('PATCH', path, listed, { pointer: `/entries/0/${name}`, ...problem })
      await expectOne('POST', its, { ...flat, id: undefined, [name]: value }, { pointer: `/${name}`, ...problem })
    }
  })

  test('are those of the member where the id alone gives a new record its parts', async () => {
    const rules = {
      '2026-11-28,none,abc,1': 'enum',
      '2026-11-28,low,a,1': 'minLength',
      '2026-11-28,low,abcde,1': 'maxLength',
    }
    for (const [start, keyword] of Object.entries({
      ...rules,
      '2026-11-28,low,ABC,1': 'pattern',
      '2026-11-28,low,abc,0': 'minimum',
    })) {
      const id = `${start},${topic.id}`
      if (keyword === 'enum') {
        // No record can have this id.
        await expectOne('PATCH', path, { entries: [{ id, text: 'x' }] }, { pointer: '/entries/0/id', keyword: 'id' })
        continue
      }
      const name = keyword === 'minimum' ? 'number' : 'code'
      await expectOne('PATCH', path, { entries: [{ id, text: 'x' }] }, { pointer: `/entries/0/${name}`, keyword })
      await expectOne(
        'PUT',
        path,
        { name: 'l', entries: [{ id, text: 'x' }] },
        { pointer: `/entries/0/${name}`, keyword },
      )
      await expectOne(
        'POST',
        '/api/log',
        { name: 'l', entries: [{ id, text: 'x' }] },
        { pointer: `/entries/0/${name}`, keyword },
      )
      await expectOne('POST', `${path}/entry`, { id, text: 'x' }, { pointer: `/${name}`, keyword })
      await expectOne('POST', `${path}/entry/${id}`, { text: 'x' }, { pointer: `/${name}`, keyword })
    }
    await expectOne('POST', '/api/single/a', { text: 'x' }, { pointer: '/code', keyword: 'minLength' })
    await expectOne('POST', '/api/single', { id: 'AB', text: 'x' }, { pointer: '/code', keyword: 'pattern' })
  })

  test('do not keep records from being served that break the rules already', async () => {
    const row = { ...entry, logId: log.id, code: 'TOO LONG', number: 0 }
    await service.db.insertInto('entry').values(row).execute()
    const id = `2026-11-28,low,TOO LONG,0,${topic.id}`
    // Answers of HTTP are compared with the schema here, which has the rules.
    const logs = createStore({ db: service.db, resources: model }).resource('log')
    const entries = logs.owned(log.id, 'entries')
    expect(await logs.find(log.id)).toMatchObject({ entries: [{ id }, { id: log.entries[0].id }] })
    expect(await entries.patch(id, { text: 'y' } as never)).toMatchObject({ id, text: 'y' })
    expect(await entries.replace(id, { text: 'z' } as never)).toMatchObject({ id, text: 'z' })
    expect(await logs.patch(log.id, { entries: [{ id, text: 'u' }] } as never)).toMatchObject({
      entries: [{ id, text: 'u' }, {}],
    })
    await entries.delete(id)
  })

  test('are all named, and so are those of the id itself', async () => {
    const nothing = ['/entries/0/day', '/entries/0/level', '/entries/0/code', '/entries/0/number', '/entries/0/topicId']
    await service.refuse('PATCH', path, { entries: [{ text: 'x' }] }, { ...invalid, pointers: nothing })
    for (const id of ['x', '', 1, null, [], {}, true, log.entries[0].id.toUpperCase(), `${log.entries[0].id},1`]) {
      const { errors } = await service.refuse('PATCH', path, { entries: [{ id, text: 'x' }] }, invalid)
      expect(errors, JSON.stringify(id)).toMatchObject([
        { pointer: '/entries/0/id', keyword: 'id', params: { type: 'composite' } },
      ])
    }
    await expectOne('POST', '/api/single', { code: 'A/', text: 'x' }, { pointer: '/code' })
    const twice = [entry, { ...entry, text: 'y' }]
    await expectOne(
      'PATCH',
      path,
      { entries: twice },
      { pointer: '/entries/1', keyword: 'uniqueItems', params: { id: log.entries[0].id } },
    )
    const none = { ...entry, topicId: '00000000-0000-4000-8000-000000000000' }
    expectProblem(await service.post(`${path}/entry`, none), {
      code: 'CRUD_ERR_UNKNOWN_REFERENCE',
      pointers: ['/topicId'],
    })
  })
})
