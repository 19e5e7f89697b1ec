import { beforeEach, expect, test } from 'vitest'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import { crudOf } from './support/crud-of.ts'
import type { Judged, Kept, TestRules } from './support/rules.ts'
import { useShop } from './support/use-shop.ts'

const ADVICE = /store\.in\(db\)/

describeOnBoth('a rule that uses the store outside of its own write', (database) => {
  let validate: (judged: Judged) => unknown = () => {}
  let afterWrite: (judged: Judged) => unknown = () => {}
  let invariant: (kept: Kept) => unknown = () => {}
  let afterCommit: () => unknown = () => {}
  const rules: TestRules = {
    order: {
      validate: (judged: Judged) => validate(judged),
      afterWrite: (judged: Judged) => afterWrite(judged),
      invariant: { reads: ['title'], test: (kept: Kept) => invariant(kept) },
      afterCommit: () => afterCommit(),
    },
  }
  const shop = useShop(database, rules)
  const { service } = shop
  const coupons = () => crudOf(service).resource('coupon')
  const rename = () => service.patch(shop.path, { title: 'second' })

  beforeEach(() => {
    validate = () => {}
    afterWrite = () => {}
    invariant = () => {}
    afterCommit = () => {}
  })

  /** The write fails with 500 and stores nothing, and the service goes on. */
  async function expectRefused(use: () => Promise<unknown>, caught: unknown[]): Promise<void> {
    const before = await service.snapshot()
    expect((await rename()).status).toBe(500)
    expect(caught).toEqual([expect.objectContaining({ message: expect.stringMatching(ADVICE) })])
    expect(await service.snapshot()).toEqual(before)
    await expect(use()).resolves.toBeDefined()
  }

  function noting(use: () => Promise<unknown>, caught: unknown[]): () => Promise<void> {
    return async () => {
      await use().catch((error) => {
        caught.push(error)
        throw error
      })
    }
  }

  const uses: readonly [string, () => Promise<unknown>][] = [
    ['a list', () => coupons().list()],
    ['a record', () => coupons().find(shop.rows.coupon.id)],
    ['a write', () => coupons().create({ code: 'new' })],
  ]

  test.each(uses)('is told to use `store.in(db)` when it asks for %s in `validate`', async (_, use) => {
    const caught: unknown[] = []
    validate = noting(use, caught)
    await expectRefused(use, caught)
  })

  test.each(uses)('is told the same when it asks for %s in `afterWrite`', async (_, use) => {
    const caught: unknown[] = []
    afterWrite = noting(use, caught)
    await expectRefused(use, caught)
  })

  test('is told the same in an invariant', async () => {
    const caught: unknown[] = []
    const list = () => coupons().list()
    invariant = noting(list, caught)
    await expectRefused(list, caught)
  })

  test('is told the same by another store of the same database', async () => {
    const caught: unknown[] = []
    const list = () => shop.all().coupon.list()
    validate = noting(list, caught)
    await expectRefused(list, caught)
  })

  test("is told the same in the application's own transaction", async () => {
    const caught: unknown[] = []
    validate = noting(() => coupons().list(), caught)
    const write = service.db.transaction().execute(async (transaction) => {
      await crudOf(service).in(transaction).resource('order').patch(shop.order.id, { title: 'second' })
    })
    await expect(write).rejects.toThrow(ADVICE)
    expect(caught).toHaveLength(1)
  })

  test('may use it in `afterCommit`, and in what it starts for later', async () => {
    const lists: Promise<unknown>[] = []
    let goOn = () => {}
    const later = new Promise<void>((resolve) => {
      goOn = resolve
    })
    afterCommit = () => {
      lists.push(coupons().list())
    }
    validate = () => {
      lists.push(later.then(() => coupons().list()))
    }
    expect((await rename()).status).toBe(200)
    goOn()
    await expect.poll(() => lists.length).toBe(2)
    expect(await Promise.all(lists)).toEqual([expect.anything(), expect.anything()])
  })

  test('does not keep other requests from the store meanwhile', async () => {
    let goOn = () => {}
    const other = new Promise<void>((resolve) => {
      goOn = resolve
    })
    let hasStarted = () => {}
    const started = new Promise<void>((resolve) => {
      hasStarted = resolve
    })
    validate = async () => {
      hasStarted()
      await other
    }
    const renaming = rename()
    await started
    const reading = service.read('/api/coupon')
    goOn()
    expect((await renaming).status).toBe(200)
    expect((await reading).count).toBe(1)
  })
})
