import { beforeEach, expect, test } from 'vitest'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import { caller } from '../policies/support/as-caller.ts'
import { crudOf } from './support/crud-of.ts'
import type { Judged, TestRules } from './support/rules.ts'
import { useShop } from './support/use-shop.ts'

describeOnBoth('`store.in(db)` in a rule', (database) => {
  let afterWrite: (judged: Judged) => unknown = () => {}
  let validate: (judged: Judged) => unknown = () => {}
  const rules: TestRules = {
    order: { validate: (judged: Judged) => validate(judged), afterWrite: (judged: Judged) => afterWrite(judged) },
    coupon: {
      validate({ after, refuse }) {
        if (after?.code === 'bad') refuse('no coupon is bad')
      },
      async afterWrite({ after, db }) {
        if (after !== null)
          await db
            .insertInto('tag')
            .values({ name: `coupon ${after.code}` })
            .execute()
      },
    },
  }
  const shop = useShop(database, rules)
  const { service } = shop
  const coupons = ({ db }: Judged) => crudOf(service).in(db).resource('coupon')
  const codes = async () => (await shop.all().coupon.list()).rows.map(({ code }) => code)

  beforeEach(() => {
    afterWrite = () => {}
    validate = () => {}
  })

  test('writes in the transaction of the write, and the rules of what it writes hold', async () => {
    afterWrite = (judged) => coupons(judged).create({ code: 'good' })
    expect((await service.patch(shop.path, { title: 'second' })).status).toBe(200)
    expect(await codes()).toEqual(['c', 'good'])
    expect((await shop.all().tag.list()).rows.at(-1)).toMatchObject({ name: 'coupon good' })
  })

  test('is rolled back with the write', async () => {
    afterWrite = async (judged) => {
      await coupons(judged).create({ code: 'good' })
      judged.refuse('after all')
    }
    await service.refuse('PATCH', shop.path, { title: 'second' }, { code: 'CRUD_ERR_REFUSED' })
  })

  test('reads what the write has stored, and in `validate` what was there before', async () => {
    const titles: string[] = []
    const note = async ({ db }: Judged) => {
      titles.push((await crudOf(service).in(db).resource('order').find(shop.order.id)).title)
    }
    validate = note
    afterWrite = note
    await service.patch(shop.path, { title: 'second' })
    expect(titles).toEqual(['first', 'second'])
  })

  test('refuses what a rule refuses, and the outer rule may catch it and go on', async () => {
    afterWrite = async (judged) => {
      await expect(coupons(judged).create({ code: 'bad' })).rejects.toMatchObject({ code: 'CRUD_ERR_REFUSED' })
      await coupons(judged).create({ code: 'good' })
    }
    expect((await service.patch(shop.path, { title: 'second' })).status).toBe(200)
    expect(await codes()).toEqual(['c', 'good'])
  })

  test('refuses the whole write, if the outer rule lets the error through', async () => {
    afterWrite = (judged) => coupons(judged).create({ code: 'bad' })
    const before = await service.snapshot()
    expect((await service.patch(shop.path, { title: 'second' })).status).toBeGreaterThanOrEqual(400)
    expect(await service.snapshot()).toEqual(before)
  })
})

describeOnBoth('`store.in(db)` of a service with policies', (database) => {
  const policies = { customer: true, coupon: false, product: true, tag: true, order: true }
  const rules: TestRules = {
    order: {
      async afterWrite({ db, caller: who }) {
        await crudOf(shop.service).in(db).asSystem().resource('coupon').create({ code: 'of the system' })
        const own = crudOf(shop.service).in(db).as(who).resource('coupon')
        await expect(own.create({ code: 'of the caller' })).rejects.toMatchObject({ code: 'CRUD_ERR_FORBIDDEN' })
      },
    },
  }
  const shop = useShop(database, rules, { caller, policies })

  test('asks for whom it is, as the store does', async () => {
    expect((await shop.service.patch(shop.path, { title: 'second' })).status).toBe(200)
    const { rows } = await shop.all().coupon.list()
    expect(rows.map(({ code }) => code)).toEqual(['c', 'of the system'])
  })
})
