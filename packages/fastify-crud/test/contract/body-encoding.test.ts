import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import { expectProblem } from '../../../../test/support/problem.ts'
import { withAssignedIds } from '../../../../test/support/test-ids.ts'
import { product } from './models/product.ts'

/** `{"name":"…"}` with these bytes as its name. */
const named = (...bytes: number[]) => Buffer.concat([Buffer.from('{"name":"a'), Buffer.from(bytes), Buffer.from('z"}')])

const notUtf8: Record<string, Buffer> = {
  'a byte that is none': named(0xff),
  'ISO 8859-1': named(0xe4),
  'a sequence without its end': named(0xe2, 0x82),
  'a sequence without its start': named(0x82),
  'an overlong form': named(0xc0, 0xaf),
  'half of a surrogate pair': named(0xed, 0xa0, 0x80),
  'more than Unicode has': named(0xf4, 0x90, 0x80, 0x80),
  'a key in ISO 8859-1': Buffer.from('{"näme":"a"}', 'latin1'),
  'UTF-16': Buffer.from('\ufeff{"name":"a"}', 'utf16le'),
}

describeOnBoth('the encoding of a body', (database) => {
  const service = useApp(database, withAssignedIds(product))

  for (const [what, body] of Object.entries(notUtf8)) {
    test(`is UTF-8; anything else is 400, and nothing is stored: ${what}`, async () => {
      const { id } = await service.add('/api/product', { name: 'a' })
      const before = await service.snapshot()
      for (const [method, path] of [
        ['POST', '/api/product'],
        ['PUT', `/api/product/${id}`],
        ['PATCH', `/api/product/${id}`],
      ] as const) {
        const answer = await service.raw(method, path, body)
        expectProblem(answer, { code: 'CRUD_ERR_INVALID', detail: /^the body is not UTF-8$/ })
      }
      expect(await service.snapshot()).toEqual(before)
    })
  }

  test('may use all of UTF-8, the replacement character too', async () => {
    for (const name of ['ä', '€', '𝄞', '\ufffd', '\u2028', 'a\u0301']) {
      const answer = await service.raw('POST', '/api/product', `{"name":"${name}"}`)
      expect([answer.status, answer.body.name]).toEqual([201, name])
    }
  })

  test('is right if a character arrives in two chunks', async () => {
    const body = Buffer.from('{"name":"€"}')
    const answer = await service.fastify.inject({
      method: 'POST',
      url: '/api/product',
      headers: { 'content-type': 'application/json' },
      payload: Readable.from([body.subarray(0, 10), body.subarray(10)]),
    })
    expect([answer.statusCode, answer.json().name]).toEqual([201, '€'])
  })

  test('may begin with a byte order mark', async () => {
    const answer = await service.raw('POST', '/api/product', '\ufeff{"name":"a"}')
    expect([answer.status, answer.body.name]).toEqual([201, 'a'])
    expectProblem(await service.raw('POST', '/api/product', '\ufeff'), { code: 'CRUD_ERR_INVALID' })
  })
})

describeOnBoth('a DELETE with the media type of a body that it does not have', (database) => {
  const service = useApp(database, withAssignedIds(product))

  test('deletes the record', async () => {
    const { id } = await service.add('/api/product', { name: 'a' })
    expect((await service.raw('DELETE', `/api/product/${id}`, '')).status).toBe(204)
    expect((await service.get(`/api/product/${id}`)).status).toBe(404)
  })

  test('is refused where other methods need a body', async () => {
    for (const [method, path] of [
      ['POST', '/api/product'],
      ['PATCH', '/api/product/1'],
    ] as const) {
      expectProblem(await service.raw(method, path, ''), { code: 'CRUD_ERR_INVALID' })
    }
  })
})

describeOnBoth('the charset of a media type', (database) => {
  const service = useApp(database, withAssignedIds(product))

  for (const type of [
    'application/json;charset=utf-8',
    'application/json; charset=UTF-8',
    'application/json ; charset="utf-8"',
    'Application/JSON; Charset=Utf8',
    'application/json; charset="UTF8" ',
    'application/json; profile="x"; charset=utf-8',
    'application/json;',
    'application/json; profile=charset',
    'application/json; charset-of=latin1',
  ]) {
    test(`may be UTF-8: ${type}`, async () => {
      const answer = await service.raw('POST', '/api/product', '{"name":"ä"}', type)
      expect([answer.status, answer.body.name]).toEqual([201, 'ä'])
    })
  }

  for (const type of [
    'application/json; charset=iso-8859-1',
    'application/json; charset=utf-16',
    'application/json; charset="utf-16le"',
    'application/json; CHARSET=latin1',
    'application/json; charset=us-ascii',
    'application/json; charset=utf-8x',
    'application/json; charset=utf-8; charset=latin1',
    'application/json; profile=x; charset=latin1',
    'application/json; charset=',
    'application/json; charset',
    'application/json; charset =utf-8',
    'application/json; charset="utf-8',
    "application/json; charset='utf-8'",
    'application/json; charset=utf-8 utf-8',
  ]) {
    test(`is 415 if it is another one, or malformed: ${type}`, async () => {
      for (const method of ['POST', 'PUT']) {
        const answer = await service.raw(method, '/api/product', '{"name":"a"}', type)
        expectProblem(answer, { code: 'CRUD_ERR_BODY', status: 415, detail: /UTF-8/ })
      }
      expect((await service.read('/api/product')).count).toBe(0)
    })
  }
})
