import { Type } from '@sinclair/typebox'
import { createStore, createTables, defineResources, knows, needs, ownedBy, owns, type Rules } from 'fastify-crud'
import { expect, onTestFinished, test } from 'vitest'
import { describeOnBoth } from '../../../../../test/support/describe-on-databases.ts'

const resources = defineResources({
  order: {
    id: 'uuid',
    fields: { name: Type.String() },
    relations: { lines: owns.many('line'), sheet: owns.one('sheet') },
  },
  line: {
    id: ['order', 'product'],
    fields: { quantity: Type.Integer() },
    relations: { order: ownedBy('order'), product: needs.one('product'), from: knows.one('store') },
  },
  sheet: { id: ['order'], fields: { text: Type.String() }, relations: { order: ownedBy('order') } },
  product: { id: 'text', fields: { name: Type.String() } },
  store: { fields: { name: Type.String() } },
  seat: {
    id: ['store', 'product'],
    fields: { number: Type.Integer() },
    relations: { store: needs.one('store'), product: needs.one('product') },
  },
})

describeOnBoth('records whose members make up their ids', (database) => {
  async function opened() {
    const open = await database.open()
    onTestFinished(() => open.close())
    await createTables(open.db, resources)
    const system = createStore({ db: open.db, resources })
    for (const id of ['a', 'b,c', 'd']) await system.product.create({ id, name: id })
    const { id: storeId } = await system.store.create({ name: 's' })
    return { db: open.db, system, storeId }
  }

  test('have their whole ids in rules', async () => {
    const { db } = await opened()
    const seen: unknown[] = []
    let committed = (_: readonly unknown[]) => {}
    const commit = new Promise<readonly unknown[]>((resolve) => {
      committed = resolve
    })
    const rules: Rules<typeof resources> = {
      line: {
        validate: ({ action, before, after }) => {
          seen.push(['validate', action, before?.id, after?.id])
        },
        afterWrite: ({ action, before, after }) => {
          seen.push(['afterWrite', action, before?.id, after?.id])
        },
        afterCommit: ({ rows }) => {
          committed(rows.map(({ after }) => after?.id))
        },
      },
      sheet: {
        afterWrite: ({ action, before, after }) => {
          seen.push(['sheet', action, before?.id, after?.id])
        },
      },
    }
    const store = createStore({ db, resources, rules })
    const line = (productId: string) => ({ productId, quantity: 1 })
    const { id } = await store.order.create({ name: 'o', lines: [line('a'), line('b,c')], sheet: { text: 't' } })
    const wholeIds = [`${id},a`, `${id},b~1c`]
    const ofStage = (stage: string) => seen.filter((one) => (one as unknown[])[0] === stage)
    expect(ofStage('afterWrite')).toEqual(wholeIds.map((whole) => ['afterWrite', 'Add', undefined, whole]))
    expect(await commit).toEqual(wholeIds)
    expect(seen).toContainEqual(['sheet', 'Add', undefined, id])
    seen.length = 0
    await store.order.patch(id, { lines: [{ productId: 'a', quantity: 2 }], sheet: { text: 'u' } })
    expect(seen).toContainEqual(['validate', 'Edit', wholeIds[0], wholeIds[0]])
    expect(seen).toContainEqual(['sheet', 'Edit', id, id])
    seen.length = 0
    await store.order.owned(id, 'lines').delete('b,c')
    expect(seen).toContainEqual(['afterWrite', 'Delete', wholeIds[1], undefined])
  })

  test('are locked and looked up by their whole ids', async () => {
    const { db, storeId } = await opened()
    const locked: unknown[] = []
    const rules: Rules<typeof resources> = {
      order: {
        validate: async ({ lock }) => {
          await lock('seat', [`${storeId},a`, `${storeId},d`])
          locked.push('seat')
        },
      },
    }
    const store = createStore({ db, resources, rules })
    await store.seat.create({ storeId, productId: 'a', number: 1 })
    await store.order.create({ name: 'o' })
    expect(locked).toEqual(['seat'])
  })

  test('are seen and changed as policies say, which name their parts', async () => {
    const { db, system, storeId } = await opened()
    await system.seat.create({ storeId, productId: 'a', number: 1 })
    await system.seat.create({ storeId, productId: 'b,c', number: 2 })
    const order = await system.order.create({ name: 'o', lines: [{ productId: 'a', quantity: 1 }] })
    const guarded = createStore({
      db,
      resources,
      policies: {
        order: true,
        sheet: true,
        product: true,
        store: true,
        line: ({ eb }) => eb('productId', '!=', 'd'),
        seat: {
          View: ({ eb, my }) => eb('productId', '=', my('product')),
          Edit: ({ eb }) => eb('productId', '=', 'b,c'),
        },
      },
    })
    const store = guarded.as({ id: 1, roles: [], product: 'b,c' })
    expect((await store.seat.list()).rows).toMatchObject([{ productId: 'b,c' }])
    expect(await store.seat.patch(`${storeId},b~1c`, { number: 3 })).toMatchObject({ number: 3 })
    await expect(store.seat.patch(`${storeId},a`, { number: 3 })).rejects.toMatchObject({ code: 'CRUD_ERR_NOT_FOUND' })
    const lines = store.order.owned(order.id, 'lines')
    await expect(lines.create({ productId: 'd', quantity: 1 })).rejects.toMatchObject({ code: 'CRUD_ERR_FORBIDDEN' })
    expect(await lines.create({ productId: 'b,c', quantity: 1 })).toMatchObject({ id: 'b,c' })
    await expect(store.order.create({ name: 'p', lines: [{ productId: 'd', quantity: 1 }] })).rejects.toMatchObject({
      code: 'CRUD_ERR_FORBIDDEN',
    })
    expect((await store.order.find(order.id)).lines).toHaveLength(2)
  })

  test('are in a plan with their whole ids, and a dry run changes nothing', async () => {
    const { system } = await opened()
    const order = await system.order.create({ name: 'o', lines: [{ productId: 'a', quantity: 1 }] })
    const { record, plan } = await system.order.patch(
      order.id,
      {
        lines: [
          { productId: 'a', quantity: 5 },
          { productId: 'd', quantity: 2 },
        ],
      },
      { dryRun: true },
    )
    expect(record?.lines.map(({ id }) => id)).toEqual(['a', 'd'])
    expect(JSON.stringify(plan)).toContain(`${order.id},a`)
    expect(await system.order.find(order.id)).toEqual(order)
  })

  test('are changed by several requests at once, each of them once', async () => {
    const { system, storeId } = await opened()
    const { id } = await system.order.create({ name: 'o' })
    const lines = system.order.owned(id, 'lines')
    const tries = await Promise.allSettled(
      Array.from({ length: 8 }, (_, quantity) => lines.create({ productId: 'a', quantity, fromId: storeId })),
    )
    expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    for (const one of tries) {
      if (one.status === 'rejected') expect(one.reason).toMatchObject({ code: 'CRUD_ERR_EXISTS' })
    }
    const added = Array.from({ length: 6 }, (_, quantity) =>
      system.order.patch(id, { lines: [{ productId: quantity % 2 ? 'b,c' : 'd', quantity }] }),
    )
    await Promise.all(added)
    expect((await system.order.find(id)).lines.map((line) => line.id)).toEqual(['a', 'b,c', 'd'])
    await Promise.all([system.store.delete(storeId), lines.patch('a', { quantity: 100 })])
    expect(await lines.find('a')).toMatchObject({ quantity: 100, fromId: null })
  })
})
