import { beforeEach, expect, test } from 'vitest'
import { type Answer, useApp } from '../../../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../../../test/support/describe-on-databases.ts'
import { expectProblem } from '../../../../../../test/support/problem.ts'
import { addShop, PRODUCTS, shop } from './models.ts'

const invalid = { code: 'CRUD_ERR_INVALID' } as const
const lines = PRODUCTS.map((productId) => ({ productId, quantity: 1 }))

describeOnBoth('limits of bodies with children whose ids have several parts', (database) => {
  const limits = { defaultPage: 2, maxPage: 3, maxItems: 4, maxDepth: 3, maxBody: 1_000 }
  const service = useApp(database, shop, { plugin: { limits } })
  let path: string

  beforeEach(async () => {
    ;({ path } = await addShop(service))
  })

  test('count all elements, known by their parts or not', async () => {
    await service.refuse('POST', '/api/order', { name: 'x', lines }, invalid)
    await service.refuse('PUT', path, { name: 'x', lines }, invalid)
    await service.refuse('PATCH', path, { lines }, invalid)
    expect((await service.patch(path, { lines: lines.slice(0, 4) })).body.lines).toHaveLength(4)
  })

  test('count nesting and bytes', async () => {
    const deep = { lines: [{ productId: 'a', product: { id: 'a', name: [[[]]] } }] }
    await service.refuse('PATCH', path, deep, invalid)
    const long = { lines: [{ productId: 'a', code: 'x'.repeat(1_000) }] }
    await service.refuse('PATCH', path, long, { code: 'CRUD_ERR_BODY', status: 413 })
  })

  test('are those of pages, too', async () => {
    expect((await service.read(`${path}/line`)).rows.map(({ id }: { id: string }) => id)).toEqual(['a', 'b'])
    expect((await service.read(`${path}/line?limit=3`)).count).toBe(3)
    await service.refuse('GET', `${path}/line?limit=4`, undefined, { ...invalid, parameters: ['limit'] })
  })
})

describeOnBoth('the largest answer with children whose ids have several parts', (database) => {
  const service = useApp(database, shop, { plugin: { limits: { maxAnswer: 2_000 } } })
  const tooLarge = { code: 'CRUD_ERR_TOO_LARGE' } as const

  function expectMinimal(answer: Answer, status: number): void {
    expect([answer.status, answer.body, answer.headers['preference-applied']]).toEqual([
      status,
      undefined,
      'return=minimal',
    ])
  }

  test('is not exceeded by reads; writes are done, and answered without the record', async () => {
    const { path, seatPath } = await addShop(service)
    const code = (letter: string) => letter.repeat(900)
    expectMinimal(
      await service.patch(path, {
        lines: [
          { productId: 'a', code: code('x') },
          { productId: 'd', quantity: 4, code: code('y') },
        ],
      }),
      200,
    )
    expectProblem(await service.get(path), tooLarge)
    expectProblem(await service.get(`${path}/line`), tooLarge)
    expect((await service.read(`${path}/line?limit=2`)).rows).toMatchObject([{ code: code('x') }, { code: 'c1' }])
    const created = await service.post(`${path}/line`, { productId: 'e', quantity: 1, code: code('é') })
    expect(created).toMatchObject({ status: 201, headers: { location: `${path}/line/e` } })
    const large = await service.post(`${path}/line`, { productId: 'é'.repeat(10), quantity: 1, code: code('é') })
    expectProblem(large, { code: 'CRUD_ERR_UNKNOWN_REFERENCE', pointers: ['/productId'] })
    expectMinimal(await service.put(seatPath, { guest: code('long ') }), 200)
    expectProblem(await service.get(seatPath), tooLarge)
    const other = await service.post('/api/seat', { hallId: 'h', row: 'B', number: 2, guest: code('other') })
    expectMinimal(other, 201)
    expect(other.headers.location).toBe('/api/seat/h%2CB%2C2')
    expect((await service.delete(path)).status).toBe(204)
  })
})
