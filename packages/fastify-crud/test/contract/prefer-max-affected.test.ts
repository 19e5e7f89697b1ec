import { beforeEach, expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../test/support/json-body.ts'
import { expectProblem } from '../../../../test/support/problem.ts'
import { codeOfForeignId, missingId } from '../../../../test/support/test-ids.ts'
import { category } from './models/category.ts'
import { product } from './models/product.ts'
import { threeLevels } from './models/three-levels.ts'

const tooLarge = { code: 'CRUD_ERR_TOO_LARGE', pointers: [] } as const

describeOnBoth('`Prefer: max-affected=N`', (database) => {
  const service = useApp(database, threeLevels)
  let a: JsonBody
  let path: string
  let kind: JsonBody
  let tag: JsonBody

  beforeEach(async () => {
    kind = await service.add('/api/kind', { name: 'k' })
    tag = await service.add('/api/tag', { name: 't' })
    a = await service.add('/api/a', {
      name: 'a',
      bs: [{ name: 'b1', cs: [{ name: 'c1' }, { name: 'c2' }] }, { name: 'b2' }],
      only: { name: 'o', leaves: [{ name: 'l', kindId: kind.id, tags: [] }] },
    })
    path = `/api/a/${a.id}`
  })

  /** The write affects so many records: it is refused with one less, and done with as many. */
  async function expectAffected(count: number, method: string, url: string, body?: unknown): Promise<void> {
    const prefer = (most: number) => ({ prefer: `max-affected=${most}` })
    if (count > 0) {
      const before = await service.snapshot()
      const refused = await service.request(method, url, body, prefer(count - 1))
      expectProblem(refused, { ...tooLarge, detail: new RegExp(`more than ${count - 1} record`) })
      expect(refused.headers).not.toHaveProperty('preference-applied')
      expect(await service.snapshot()).toEqual(before)
    }
    const done = await service.request(method, url, body, prefer(count))
    expect(done.status, JSON.stringify(done.body)).toBeLessThan(300)
    expect(done.headers['preference-applied']).toBe(`max-affected=${count}`)
  }

  test('counts what a DELETE removes, at any depth', async () => {
    await expectAffected(7, 'DELETE', path)
  })

  test('counts what a POST adds, at any depth', async () => {
    await expectAffected(3, 'POST', '/api/a', { name: 'x', bs: [{ name: 'y', cs: [{ name: 'z' }] }] })
    await expectAffected(1, 'POST', `${path}/b`, { name: 'x' })
  })

  test('counts what a PUT adds, changes and removes, and not what stays as it is', async () => {
    await expectAffected(0, 'PUT', path, a)
    const [first] = a.bs
    const body = { ...a, bs: [{ ...first, note: 'new', cs: [{ name: 'c3' }, first.cs[0]] }] }
    // b1 is changed, b2 and c2 are removed, c3 is added.
    await expectAffected(4, 'PUT', path, body)
  })

  test('counts what a PATCH changes', async () => {
    await expectAffected(0, 'PATCH', path, {})
    await expectAffected(1, 'PATCH', path, { name: 'x' })
    await expectAffected(2, 'PATCH', path, { name: 'y', bs: [{ id: a.bs[0].id, note: 'n' }] })
  })

  test('counts a record whose links change, once', async () => {
    const leaf = `${path}/only/${a.only.id}/leaf/${a.only.leaves[0].id}`
    await expectAffected(1, 'PATCH', leaf, { tags: [{ id: tag.id }] })
    await expectAffected(1, 'PATCH', leaf, { name: 'x', tags: [] })
    // The leaf lets go of the tag, and is not written itself.
    await expectAffected(1, 'DELETE', `/api/tag/${tag.id}`)
  })

  test('comes behind all that the plan is refused for', async () => {
    const prefer = { prefer: 'max-affected=0' }
    expectProblem(await service.request('DELETE', `/api/kind/${kind.id}`, undefined, prefer), {
      code: 'CRUD_ERR_STILL_NEEDED',
    })
    const [other] = (await service.add('/api/a', { name: 'other', bs: [{ name: 'y' }] })).bs
    expectProblem(await service.request('PATCH', path, { bs: [{ id: other.id, name: 'x' }] }, prefer), {
      code: codeOfForeignId,
    })
    expectProblem(await service.request('PATCH', `/api/a/${missingId('a')}`, { name: 'x' }, prefer), {
      code: 'CRUD_ERR_NOT_FOUND',
    })
  })
})

describeOnBoth('`Prefer: max-affected=N` of a plain record', (database) => {
  const service = useApp(database, product)

  test('counts it, as nothing else comes along', async () => {
    const path = `/api/product/${(await service.add('/api/product', { name: 'a' })).id}`
    const send = (method: string, most: number, body?: unknown) =>
      service.request(method, path, body, { prefer: `max-affected=${most}` })
    expectProblem(await send('PATCH', 0, { name: 'b' }), tooLarge)
    expectProblem(await send('DELETE', 0), tooLarge)
    expect((await send('PATCH', 1, { name: 'b' })).status).toBe(200)
    expect((await send('PATCH', 0, { name: 'b' })).status).toBe(200)
    expect((await send('DELETE', 1)).status).toBe(204)
  })
})

describeOnBoth('`Prefer: max-affected=N` of a tree', (database) => {
  const service = useApp(database, category)

  test('counts all nodes', async () => {
    const root = await service.add('/api/category', {
      name: 'a',
      categories: [{ name: 'b', categories: [{ name: 'c' }] }],
    })
    const send = (most: number) =>
      service.request('DELETE', `/api/category/${root.id}`, undefined, { prefer: `max-affected=${most}` })
    expectProblem(await send(2), tooLarge)
    expect((await send(3)).status).toBe(204)
  })
})
