import { expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeServersOnDatabases } from '../../../../test/support/describe-on-databases.ts'
import { museum } from '../contract/models/museum.ts'
import { useExhibits } from './exhibits.ts'
import { refuseRaw } from './refuse-raw.ts'

describeServersOnDatabases('of two equal keys the last counts', (database) => {
  const service = useApp(database, museum)
  const exhibits = useExhibits(service)

  test('so a wrong value behind a right one is refused', async () => {
    const { mine, other } = exhibits
    const [lid] = mine.parts
    const unknown = 'CRUD_ERR_UNKNOWN_REFERENCE'
    for (const [body, code, pointer] of [
      [`{"id":${mine.id},"id":${other.id}}`, 'CRUD_ERR_INVALID', '/id'],
      [`{"donorId":${mine.donorId},"donorId":999999}`, unknown, '/donorId'],
      [`{"parts":[{"id":${lid.id},"id":${other.parts[0].id}}]}`, unknown, '/parts/0/id'],
      [`{"parts":[],"parts":[{"id":${other.parts[0].id}}]}`, unknown, '/parts/0/id'],
      [`{"title":"x","t\\u0069tle":1}`, 'CRUD_ERR_INVALID', '/title'],
      ['{"extra":1,"extra":"\\u0000"}', 'CRUD_ERR_INVALID', '/extra'],
    ] as const) {
      await refuseRaw(service, 'PATCH', `/api/item/${mine.id}`, body, { code, pointers: [pointer] })
    }
  })

  test('and what stands before has no effect, wrong as it may be', async () => {
    const { mine, other } = exhibits
    const before = await service.snapshot()
    const body = `{"id":${other.id},"id":${mine.id},"title":5,"title":"Jar","parts":[{"id":${other.parts[0].id}}],"parts":[]}`
    const answer = await service.raw('PATCH', `/api/item/${mine.id}`, body)
    expect([answer.status, answer.body]).toEqual([200, mine])
    expect(await service.snapshot()).toEqual(before)
  })

  test('in a JSON field too', async () => {
    const path = `/api/item/${exhibits.mine.id}`
    const answer = await service.raw('PATCH', path, '{"extra":{"a":1,"b":2,"a":3}}')
    expect([answer.status, answer.body.extra]).toEqual([200, { a: 3, b: 2 }])
  })
})
