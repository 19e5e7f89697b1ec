import { Type } from '@sinclair/typebox'
import Fastify from 'fastify'
import { type AnyKysely, crudPlugin, defineResources, ownedBy, owns } from 'fastify-crud'
import { expectTypeOf, test } from 'vitest'

const resources = defineResources({
  order: {
    table: 'orders',
    fields: { number: Type.String() },
    relations: { lines: owns.many('line') },
  },
  line: { fields: { text: Type.String() }, relations: { order: ownedBy('order') } },
  note: { fields: { authorId: Type.Integer(), isOpen: Type.Boolean() } },
})

test('a policy knows the columns of its table, and the caller', () => {
  expectTypeOf(register).toBeFunction()
})

// The compiler checks it; it is never called.
async function register(db: AnyKysely) {
  const app = Fastify()
  await app.register(crudPlugin, {
    db,
    resources,
    caller: (request) => ({ id: Number(request.headers['x-user']), name: request.ip, roles: ['staff'] }),
    authorize(_request, { action, caller }) {
      expectTypeOf(caller).toEqualTypeOf<{ id: number; name: string; roles: string[] }>()
      return action === 'View' || caller.roles.includes('staff')
    },
    policies: {
      order: ({ eb, my }) => eb.and([eb('orders.number', '=', my('name')), eb('id', '>', my('id'))]),
      line: { View: true, Edit: { before: true, after: ({ eb, my }) => eb('text', '=', my('name')) } },
      note: {
        member: ({ eb, my }) => eb('authorId', '=', my('id')),
        admin: { View: true, Delete: ({ eb, can }) => can('View', 'order', eb.ref('authorId')) },
      },
    },
  })

  const caller = () => ({ id: 1, name: 'Ada' })
  // @ts-expect-error there is no such resource
  await app.register(crudPlugin, { db, resources, caller, policies: { ordr: true } })
  await app.register(crudPlugin, {
    db,
    resources,
    caller,
    policies: {
      // @ts-expect-error there is no such column
      order: ({ eb, my }) => eb('titel', '=', my('name')),
      // @ts-expect-error the caller has no such value
      line: ({ eb, my }) => eb('text', '=', my('nam')),
      // @ts-expect-error a number is compared with a text
      note: ({ eb, my }) => eb('authorId', '=', my('name')),
    },
  })
  await app.register(crudPlugin, {
    db,
    resources,
    caller,
    // @ts-expect-error there is no such resource
    policies: { note: ({ eb, can }) => can('View', 'nte', eb.ref('id')) },
  })
}
