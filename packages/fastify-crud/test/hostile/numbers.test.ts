import { expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../test/support/json-body.ts'
import { museum } from '../contract/models/museum.ts'
import { type Exhibits, useExhibits } from './exhibits.ts'
import { type RawAttempt, refuseAllRaw } from './refuse-all.ts'
import { refuseRaw } from './refuse-raw.ts'

/** Numbers that JSON has and that are no id, as a client may write them. */
const noIds = ['1.5', '1e-1', '1e400', '-1e400', '9007199254740993', '1e300', '18446744073709551616']
/** Ids that no record has, however they are written. */
const noRecords = ['2147483647', '2147483648', '4294967297', '9007199254740991', '1e15', '9.007199254740991e15']
/** Numbers that are not written as JSON has them. */
const noJson = ['01', '+1', '1.', '.5', '0x1', '1e', 'NaN', 'Infinity', '-', '1_000', '1n', '٣']

/** Every place of a body that has an id. */
const places = [
  '/donorId',
  '/twinId',
  '/experts/0/id',
  '/topics/0/id',
  '/label/id',
  '/parts/0/id',
  '/parts/0/repairs/0/id',
  '/parts/0/expertId',
]

/** A PATCH of an item for each of these places, with that id there. */
function patches({ mine }: Exhibits, id: string): RawAttempt[] {
  const part = mine.parts[0].id
  const bodies = [
    `{"donorId":${id}}`,
    `{"twinId":${id}}`,
    `{"experts":[{"id":${id}}]}`,
    `{"topics":[{"id":${id}}]}`,
    `{"label":{"id":${id}}}`,
    `{"parts":[{"id":${id}}]}`,
    `{"parts":[{"id":${part},"repairs":[{"id":${id}}]}]}`,
    `{"parts":[{"id":${part},"expertId":${id}}]}`,
  ]
  return bodies.map((body) => ['PATCH', `/api/item/${mine.id}`, body])
}

const pointerOf = (problem: JsonBody): string => problem.errors[0].pointer

describeOnBoth('a number beyond its range', (database) => {
  const service = useApp(database, museum)
  const exhibits = useExhibits(service)

  test('is 400 as an id, in every place of a body', async () => {
    for (const number of noIds) {
      const attempts = patches(exhibits, number)
      const problems = await refuseAllRaw(service, { code: 'CRUD_ERR_INVALID' }, attempts)
      expect(problems.map(pointerOf)).toEqual(places)
      await refuseRaw(service, 'PUT', '/api/topic', `{"id":${number},"word":"x"}`, { code: 'CRUD_ERR_INVALID' })
    }
  })

  test('names no record, in every place of a body', async () => {
    for (const number of noRecords) {
      const attempts = patches(exhibits, number)
      const problems = await refuseAllRaw(service, { code: 'CRUD_ERR_UNKNOWN_REFERENCE' }, attempts)
      expect(problems.map(pointerOf)).toEqual(places)
      await refuseRaw(service, 'PUT', '/api/topic', `{"id":${number},"word":"x"}`, { code: 'CRUD_ERR_NOT_FOUND' })
    }
  })

  test('is 400 in every field of numbers, in lists and objects and in JSON', async () => {
    for (const [body, pointer] of [
      ['{"weight":1e400}', '/weight'],
      ['{"weight":-1e-400,"pieces":1e16}', '/pieces'],
      ['{"pieces":9007199254740993}', '/pieces'],
      ['{"pieces":-1e308}', '/pieces'],
      ['{"size":{"unit":"cm","high":1e400}}', '/size/high'],
      ['{"extra":1e400}', '/extra'],
      ['{"extra":{"a":[-1e400]}}', '/extra/a/0'],
    ] as const) {
      const refused = { code: 'CRUD_ERR_INVALID', pointers: [pointer] } as const
      await refuseRaw(service, 'PATCH', `/api/item/${exhibits.mine.id}`, body, refused)
    }
  })

  test('is 400 where it would lose digits, at its place in JSON and in any number, and is kept where it does not', async () => {
    const path = `/api/item/${exhibits.mine.id}`
    for (const [body, pointers] of [
      ['{"extra":9007199254740993}', ['/extra']],
      ['{"extra":{"a/b":[1,{"c":-9007199254740993}]}}', ['/extra/a~1b/1/c']],
      [
        '{"extra":[123456789012345678901234567890,9007199254740993.0,9007199254.740993e6,"9007199254740993"]}',
        ['/extra/0', '/extra/1', '/extra/2'],
      ],
      ['{"extra":{"__x":1,"\\"":9007199254740993}}', ['/extra/"']],
      ['{"size":{"unit":"cm","high":9007199254740993}}', ['/size/high']],
      ['{"weight":9007199254740993,"pieces":9007199254740993}', ['/pieces', '/weight']],
    ] as const) {
      const { body: problem, status } = await service.raw('PATCH', path, body)
      const found = problem.errors.map((one: JsonBody) => one.pointer)
      expect([body, status, found.sort()]).toEqual([body, 400, [...pointers]])
    }
    const kept =
      '{"extra":[9007199254740991,9007199254740994,1e16,10000000000000000,1e300,0.1234567890123456789,"9007199254740993"]}'
    const { status, body } = await service.raw('PATCH', path, kept)
    expect([status, body.extra]).toEqual([200, JSON.parse(kept).extra])
    await refuseRaw(service, 'PATCH', path, '{"extra":[9007199254740993,]}', { code: 'CRUD_ERR_INVALID' })
    await refuseRaw(service, 'PATCH', path, '9007199254740993', { code: 'CRUD_ERR_INVALID' })
  })

  test('is 400 as a chosen id, and 404 as another one', async () => {
    for (const id of ['2000000001', '9007199254740992', '9'.repeat(90)]) {
      const problem = { code: 'CRUD_ERR_INVALID' } as const
      await service.refuse('POST', `/api/topic/${id}`, { word: 'x' }, problem)
      await service.refuse('PUT', `/api/topic/${id}`, { word: 'x' }, { code: 'CRUD_ERR_NOT_FOUND' })
    }
  })

  test('is no JSON if it is written otherwise', async () => {
    const path = `/api/item/${exhibits.mine.id}`
    const bodies = noJson.flatMap((number) => [
      `{"weight":${number}}`,
      `{"extra":[${number}]}`,
      `{"donorId":${number}}`,
    ])
    const attempts = bodies.map((body): RawAttempt => ['PATCH', path, body])
    await refuseAllRaw(service, { code: 'CRUD_ERR_INVALID' }, attempts)
  })

  test('a number of a million digits is read like any other', async () => {
    const path = `/api/item/${exhibits.mine.id}`
    for (const body of [`{"pieces":1${'0'.repeat(1_000_000)}}`, `{"weight":${'9'.repeat(1_000_000)}}`]) {
      await refuseRaw(service, 'PATCH', path, body, { code: 'CRUD_ERR_INVALID' })
    }
    const { status, body } = await service.raw('PATCH', path, `{"weight":0.5${'0'.repeat(1_000_000)}}`)
    expect([status, body.weight]).toEqual([200, 0.5])
  })
})
