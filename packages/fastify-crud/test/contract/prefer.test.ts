import type { FastifyInstance } from 'fastify'
import { beforeEach, expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import { expectProblem } from '../../../../test/support/problem.ts'
import { product } from './models/product.ts'

const invalid = { code: 'CRUD_ERR_INVALID' } as const

describeOnBoth('`Prefer`', (database) => {
  const service = useApp(database, product)
  let path: string
  const send = (method: string, prefer: string, body?: unknown, url = path) =>
    service.request(method, url, body, { prefer })
  /** What is applied to a PATCH. */
  const appliedOf = async (prefer: string) => {
    const { status, headers } = await send('PATCH', prefer, { price: 1 })
    expect(status, prefer).toBeLessThan(300)
    return headers['preference-applied']
  }

  beforeEach(async () => {
    path = `/api/product/${(await service.add('/api/product', { name: 'a' })).id}`
  })

  test('may hold several preferences, in one header or in several, in any case', async () => {
    const applied = 'return=minimal, tx=commit, max-affected=3'
    for (const prefer of [
      'return=minimal, tx=commit, max-affected=3',
      'max-affected=3,TX=Commit,Return=MINIMAL',
      'tx = "commit" ,, return="minimal";foo=bar; baz , max-affected=3',
    ]) {
      expect(await appliedOf(prefer)).toBe(applied)
    }
    const answer = await service.fastify.inject({
      method: 'PATCH',
      url: path,
      payload: {},
      headers: { prefer: ['return=minimal', 'tx=commit', 'max-affected=3'] },
    })
    expect(answer.headers['preference-applied']).toBe(applied)
  })

  test('has preferences that the service does not know passed over', async () => {
    const unknown = ['respond-async, wait=10', 'handling=lenient', 'foo; return=x; tx=y', '', 'a=";tx=rolback,"']
    for (const prefer of unknown) expect(await appliedOf(prefer)).toBe(undefined)
  })

  test('counts the first of two equal preferences', async () => {
    expect(await appliedOf('tx=commit, tx=rollback')).toBe('tx=commit')
  })

  test('with a wrong value is 400, which names it, for every method, and nothing is done', async () => {
    for (const [prefer, name] of [
      ['tx=rolback', 'tx'],
      ['tx', 'tx'],
      ['tx=""', 'tx'],
      ['return=none', 'return'],
      ['max-affected=-1', 'max-affected'],
      ['max-affected=1.5', 'max-affected'],
      ['max-affected=01', 'max-affected'],
      ['max-affected', 'max-affected'],
    ] as const) {
      const before = await service.snapshot()
      for (const [method, body] of [['GET'], ['PATCH', { name: 'b' }], ['DELETE']] as const) {
        const answer = await send(method, prefer, body)
        expectProblem(answer, { ...invalid, detail: new RegExp(`the preference '${name}' must be`) })
      }
      expect(await service.snapshot()).toEqual(before)
    }
  })

  test('of another form is 400', async () => {
    const long = ' '.repeat(9_000)
    for (const prefer of ['=x', 'tx==rollback', 'tx="rollback', 'tx rollback', 'a b', `a=${long}x x`, `a${long}x`]) {
      expectProblem(await send('DELETE', prefer), { ...invalid, detail: /the header Prefer must be/ })
    }
    expect((await service.get(path)).status).toBe(200)
  })

  test('has all its problems listed, with those of the body', async () => {
    const { errors } = (await send('PATCH', 'tx=x, return=y', { nme: 1 })).body
    expect(errors).toHaveLength(3)
  })

  test('changes nothing about reads, whose answers do not vary by it', async () => {
    const answer = await send('GET', 'return=minimal, tx=rollback, max-affected=0')
    expect(answer).toMatchObject({ status: 200, body: { name: 'a' } })
    for (const name of ['preference-applied', 'vary']) expect(answer.headers).not.toHaveProperty(name)
    expect(answer.headers.etag).toBe((await service.get(path)).headers.etag)
  })

  test('that was followed is in `Vary`; without it, there is none', async () => {
    expect((await send('PATCH', 'tx=commit', {})).headers.vary).toBe('Prefer')
    expect((await send('PATCH', 'return=representation', {})).headers.vary).toBe('Prefer')
    expect((await send('PATCH', 'wait=1', {})).headers).not.toHaveProperty('vary')
    expect((await service.patch(path, {})).headers).not.toHaveProperty('vary')
  })
})

describeOnBoth('`Vary` of the application', (database) => {
  const service = useApp(database, product, {
    before(app: FastifyInstance) {
      app.addHook('onRequest', async ({ headers }, reply) => {
        if (headers['x-vary'] !== undefined) reply.header('vary', String(headers['x-vary']))
      })
    },
  })

  test('stays beside `Prefer`', async () => {
    for (const [given, expected] of [
      ['Origin', 'Origin, Prefer'],
      ['Origin, prefer', 'Origin, prefer'],
      ['*', '*'],
    ] as const) {
      const headers = { prefer: 'tx=commit', 'x-vary': given }
      expect((await service.request('POST', '/api/product', { name: 'a' }, headers)).headers.vary).toBe(expected)
    }
  })
})
