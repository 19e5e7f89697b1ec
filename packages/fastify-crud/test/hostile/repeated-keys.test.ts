import { expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeServersOnDatabases } from '../../../../test/support/describe-on-databases.ts'
import { repeatedName } from '../../src/http/body/body-encoding.ts'
import { museum } from '../contract/models/museum.ts'
import { useExhibits } from './exhibits.ts'
import { refuseRaw } from './refuse-raw.ts'

describeServersOnDatabases('a body with an object that has a name twice', (database) => {
  const service = useApp(database, museum)
  const exhibits = useExhibits(service)
  const refuse = (method: 'POST' | 'PATCH', path: string, body: string, pointer: string) =>
    refuseRaw(service, method, path, body, { code: 'CRUD_ERR_INVALID', pointers: [pointer] })

  test('is refused, at any depth and however the name is escaped', async () => {
    const { mine, other } = exhibits
    for (const [body, pointer] of [
      [`{"id":${mine.id},"id":${other.id}}`, '/id'],
      [`{"id":${other.id},"id":${mine.id}}`, '/id'],
      ['{"title":"x","title":"x"}', '/title'],
      ['{"title":"x","t\\u0069tle":"y"}', '/title'],
      ['{ "title" : "x:y" , "title"\n: "z" }', '/title'],
      [`{"parts":[{"label":"a: b"},{"id":1,"label":"c","id":2}]}`, '/parts/1/id'],
      ['{"extra":{"a":1,"b":[{},{"c/~":1,"c/~":2}]}}', '/extra/b/1/c~1~0'],
      ['{"extra":{"":1,"":2}}', '/extra/'],
      ['{"title":"x","extra":90071992547409931,"title":"y"}', '/title'],
    ] as const) {
      await refuse('PATCH', `/api/item/${mine.id}`, body, pointer)
    }
    await refuse('POST', '/api/item', '[{"title":"a"},{"title":"b","title":"c"}]', '/1/title')
  })

  test('is not one that has a name in several objects, or in a text', async () => {
    const path = `/api/item/${exhibits.mine.id}`
    const extra = { a: { a: 1 }, b: [{ a: 1 }, { a: 2 }], c: '"a":1,"a":2', 'd"': 'x\\', e: ' : ":', __proto: 1 }
    const answer = await service.raw('PATCH', path, JSON.stringify({ extra }))
    expect([answer.status, answer.body.extra]).toEqual([200, extra])
  })
})

test('a deep text and a long one are read to the end', () => {
  const deep = `${'{"a":['.repeat(50_000)}{"b":1,"b":2}${']}'.repeat(50_000)}`
  expect(repeatedName(deep, undefined)).toBe(`${'/a/0'.repeat(50_000)}/b`)
  const long = `[${Array.from({ length: 50_000 }, () => '{"a":":","b":"\\":"}').join()}]`
  expect(repeatedName(long, JSON.parse(long))).toBe(undefined)
})
