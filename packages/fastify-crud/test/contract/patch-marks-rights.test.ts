import { Type } from '@sinclair/typebox'
import { type Authorize, defineResources, knows, needs, ownedBy, owns } from 'fastify-crud'
import { beforeEach, expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../test/support/json-body.ts'
import { withIntegerIds } from '../../../../test/support/test-ids.ts'

// `$remove` is a DELETE, and `$add` an Edit: whoever is asked about these is asked about them.

const name = Type.String()

const orders = withIntegerIds(
  defineResources({
    order: {
      fields: {
        name,
        rating: Type.Optional(Type.Integer()),
        stock: Type.Integer({ default: 5 }),
        margin: Type.Integer({ default: 3, access: { View: ['boss'] } }),
      },
      relations: {
        items: owns.many('item'),
        payers: needs.many('payer', { through: 'order_payer' }),
        tags: knows.many('tag'),
      },
    },
    item: { fields: { name, isFixed: Type.Boolean({ default: false }) }, relations: { order: ownedBy('order') } },
    payer: { fields: { name, isSecret: Type.Boolean({ default: false }) } },
    tag: { fields: { name } },
  }),
)

const isFixed = ({ eb }: JsonBody) => eb('isFixed', '=', eb.val(false))

describeOnBoth('`$remove` and `$add`, and who may do it', (database) => {
  let refused: string | undefined
  const asked: string[] = []
  const changes: unknown[] = []
  const authorize: Authorize = (_, { action, resource }) => {
    asked.push(`${action} ${resource}`)
    return `${action} ${resource}` !== refused
  }
  const service = useApp(database, orders, {
    plugin: {
      authorize,
      caller: ({ headers }) => ({ roles: [headers['x-role'] ?? 'clerk'] }),
      policies: {
        order: {
          View: true,
          Add: true,
          Delete: true,
          Edit: { before: true, after: ({ eb }: JsonBody) => eb('stock', '<', 100) },
        },
        item: { View: true, Add: true, Edit: true, Delete: isFixed },
        payer: { View: ({ eb }: JsonBody) => eb('isSecret', '=', eb.val(false)), Add: true },
        tag: true,
      } as never,
      rules: {
        item: {
          validate: ({ action, before, after }: JsonBody) => void changes.push([action, before?.name, after?.name]),
        },
        order: {
          validate: ({ after, invalid }: JsonBody) => void (after?.stock === 13 && invalid('stock', 'is unlucky')),
        },
      } as never,
    },
  })
  const denied = { code: 'CRUD_ERR_FORBIDDEN' } as const
  let order: JsonBody
  let path: string

  beforeEach(async () => {
    refused = undefined
    const payer = await service.add('/api/payer', { name: 'p' })
    const items = [{ name: 'a' }, { name: 'b', isFixed: true }]
    order = await service.add('/api/order', { name: 'o', items, payers: [{ id: payer.id }] })
    path = `/api/order/${order.id}`
    asked.length = 0
    changes.length = 0
  })

  test('`$remove` asks `authorize` and the policies for Delete, and rules see one', async () => {
    const [free, fixed] = order.items.map(({ id }: JsonBody) => ({ items: [{ id, $remove: true }] }))
    await service.refuse('PATCH', path, fixed, denied)
    refused = 'Delete item'
    await service.refuse('PATCH', path, free, denied)
    refused = undefined
    expect((await service.read(path)).items).toHaveLength(2)
    asked.length = 0
    changes.length = 0
    expect((await service.patch(path, free)).body.items).toMatchObject([{ name: 'b' }])
    expect(asked).toContain('Delete item')
    expect(changes).toEqual([['Delete', 'a', undefined]])
  })

  test('the last link that the caller sees is needed, also beside hidden ones', async () => {
    await service.db
      .insertInto('payer')
      .values({ id: 70, name: 's', isSecret: database.name === 'sqlite' ? 1 : true } as never)
      .execute()
    await service.db.insertInto('order_payer').values({ orderId: order.id, payerId: 70 }).execute()
    const [{ id }] = order.payers
    await service.refuse('PATCH', path, { payers: [{ id, $remove: true }] }, { code: 'CRUD_ERR_STILL_NEEDED' })
    await service.refuse('DELETE', `${path}/payers/${id}`, undefined, { code: 'CRUD_ERR_STILL_NEEDED' })
  })

  test('`$add` needs the right to see the field, and policies and rules see the result', async () => {
    await service.refuse('PATCH', path, { margin: { $add: 1 } }, { code: 'CRUD_ERR_INVALID', pointers: ['/margin'] })
    await service.refuse('PATCH', path, { stock: { $add: 95 } }, denied)
    await service.refuse('PATCH', path, { stock: { $add: 8 } }, { code: 'CRUD_ERR_INVALID', pointers: ['/stock'] })
    const boss = { 'x-role': 'boss' }
    const added = await service.request('PATCH', path, { margin: { $add: 1 }, stock: { $add: 2 } }, boss)
    expect(added.body).toMatchObject({ margin: 4, stock: 7 })
  })

  test('null has no value to add to', async () => {
    const problem = await service.refuse(
      'PATCH',
      path,
      { rating: { $add: 1 } },
      { code: 'CRUD_ERR_INVALID', pointers: ['/rating'] },
    )
    expect(problem.errors[0].message).toMatch(/has no value to add to/)
  })
})
