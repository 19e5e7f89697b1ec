import { beforeEach, expect, test } from 'vitest'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import type { Judged, TestRules } from './support/rules.ts'
import { seenRows } from './support/seen-rows.ts'
import { useShop } from './support/use-shop.ts'

describeOnBoth('`afterWrite`', (database) => {
  const seen = seenRows('afterWrite')
  const shop = useShop(database, seen.rules)
  const { service } = shop
  const changed = () => seen.all.filter(({ changedBelow }) => changedBelow.length === 0)
  const changedRows = () =>
    changed()
      .map(({ action, resource }) => `${action} ${resource}`)
      .sort()

  test('is told of each new row, at every depth, with its id', async () => {
    const lines = [{ text: 'x', amount: 3, notes: [{ text: 'y' }, { text: 'z' }] }]
    const order = await service.add('/api/order', { title: 'new', customerId: shop.order.customerId, lines })
    expect(changedRows()).toEqual(['Add line', 'Add note', 'Add note', 'Add order'])
    expect(seen.of('order')).toMatchObject([{ before: null, after: { id: order.id, title: 'new' } }])
    const [line] = order.lines
    expect(seen.of('line')).toMatchObject([{ after: { id: line.id, orderId: order.id, amount: 3 } }])
    const noteIds = seen.of('note').map(({ after }) => [after.text, after.id, after.lineId])
    expect(noteIds.sort()).toEqual(
      line.notes.map((note: { id: number; text: string }) => [note.text, note.id, line.id]),
    )
  })

  test('is told of each row that a PUT adds, changes and removes', async () => {
    const [first] = shop.order.lines
    const { slip, tags } = shop.order
    const lines = [
      { ...first, text: 'A' },
      { text: 'c', amount: 3 },
    ]
    const answer = await service.put(shop.path, { ...shop.order, slip, tags, lines })
    expect(answer.status).toBe(200)
    expect(changedRows()).toEqual(['Add line', 'Delete line', 'Edit line'])
    const byAction = Object.fromEntries(seen.of('line').map((row) => [row.action, row]))
    expect(byAction).toMatchObject({
      Add: { before: null, after: { id: answer.body.lines[1].id, text: 'c' } },
      Edit: { before: { id: first.id, text: 'a' }, after: { id: first.id, text: 'A' } },
      Delete: { before: { text: 'b' }, after: null },
    })
  })

  test('is told of a foreign key that a delete clears', async () => {
    expect((await service.delete(`/api/coupon/${shop.rows.coupon.id}`)).status).toBe(204)
    expect(changedRows()).toEqual(['Delete coupon', 'Edit order'])
    expect(seen.of('order')).toMatchObject([{ after: { id: shop.order.id, couponId: null } }])
  })

  test('is not told of a write that changes nothing', async () => {
    expect((await service.put(shop.path, await service.read(shop.path))).status).toBe(200)
    expect(seen.all).toEqual([])
  })
})

describeOnBoth('`afterWrite` may', (database) => {
  let afterWrite: (judged: Judged) => unknown = () => {}
  const rules: TestRules = { line: { afterWrite: (judged: Judged) => afterWrite(judged) } }
  const shop = useShop(database, rules)
  const { service } = shop
  beforeEach(() => {
    afterWrite = () => {}
  })
  const addCoupon = ({ db }: Judged, code: string) => db.insertInto('coupon').values({ code }).execute()
  const coupons = async () => (await shop.all().coupon.list()).rows.map(({ code }) => code)

  test('read what the write has stored', async () => {
    let text: unknown
    afterWrite = async ({ db, after }) => {
      text = await db.selectFrom('line').select('text').where('id', '=', after.id).executeTakeFirst()
    }
    await service.add(`${shop.path}/line`, { text: 'new', amount: 1 })
    expect(text).toEqual({ text: 'new' })
  })

  test('write more in the same transaction', async () => {
    afterWrite = (judged) => addCoupon(judged, `for ${judged.after.text}`)
    await service.patch(shop.path, {
      lines: [
        { text: 'x', amount: 1 },
        { text: 'y', amount: 1 },
      ],
    })
    expect((await coupons()).sort()).toEqual(['c', 'for x', 'for y'])
  })

  test('change what the answer shows', async () => {
    afterWrite = ({ db, after }) => db.updateTable('line').set({ amount: 99 }).where('id', '=', after.id).execute()
    expect(await service.add(`${shop.path}/line`, { text: 'x', amount: 1 })).toMatchObject({ amount: 99 })
  })

  test('throw, which rolls back the write and what it has written itself', async () => {
    afterWrite = async (judged) => {
      await addCoupon(judged, 'gone')
      if (judged.after?.text === 'bad') throw new Error('the secret reason')
    }
    const lines = [
      { text: 'good', amount: 1 },
      { text: 'bad', amount: 1 },
    ]
    const problem = await service.refuse('PATCH', shop.path, { lines }, { code: 'CRUD_ERR_INTERNAL' })
    expect(JSON.stringify(problem)).not.toContain('secret')
    expect((await service.post(`${shop.path}/line`, { text: 'good', amount: 1 })).status).toBe(201)
    expect(await coupons()).toEqual(['c', 'gone'])
  })

  test('refuse, which rolls back the write, too', async () => {
    afterWrite = async (judged) => {
      await addCoupon(judged, 'gone')
      judged.refuse('not this line')
    }
    const line = { text: 'x', amount: 1 }
    const problem = await service.refuse('POST', `${shop.path}/line`, line, { code: 'CRUD_ERR_REFUSED' })
    expect(JSON.stringify(problem)).toContain('not this line')
  })

  test('find a constraint violated, which rolls back the write', async () => {
    afterWrite = ({ db, after }) => db.updateTable('line').set({ orderId: -1 }).where('id', '=', after.id).execute()
    const before = await service.snapshot()
    expect((await service.post(`${shop.path}/line`, { text: 'x', amount: 1 })).status).toBeGreaterThanOrEqual(400)
    expect(await service.snapshot()).toEqual(before)
  })
})
