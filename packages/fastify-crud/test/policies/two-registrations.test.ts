import Fastify, { type FastifyInstance } from 'fastify'
import { createStore, createTables, crudPlugin } from 'fastify-crud'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { OpenDatabase } from '../../../../test/support/databases.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../test/support/json-body.ts'
import { tickets } from './models/tickets.ts'
import { caller } from './support/as-caller.ts'

describeOnBoth('a public and a staff registration over one model', (database) => {
  let open: OpenDatabase
  let app: FastifyInstance

  beforeAll(async () => {
    open = await database.open()
    await createTables(open.db, tickets)
    app = Fastify()
    const common = { db: open.db, resources: tickets, caller, decorator: false } as const
    await app.register(crudPlugin, {
      ...common,
      prefix: '/public',
      policies: { ticket: { View: ({ eb }) => eb('state', '=', 'public') } },
    })
    await app.register(crudPlugin, { ...common, prefix: '/staff', policies: { ticket: true } })
    await app.register(crudPlugin, { ...common, prefix: '/open' })
  })
  afterAll(async () => {
    await app.close()
    await open.close()
  })

  test('each have their own policies, in whatever order they are asked', async () => {
    const all = createStore({ db: open.db, resources: tickets })
    for (const state of ['draft', 'public', 'draft']) await all.ticket.create({ title: state, state, authorId: 1 })
    const titles = async (prefix: string) => {
      const { rows } = (await app.inject(`${prefix}/ticket`)).json()
      return rows.map(({ title }: JsonBody) => title)
    }
    for (const _ of [1, 2]) {
      expect(await titles('/staff')).toEqual(['draft', 'public', 'draft'])
      expect(await titles('/public')).toEqual(['public'])
      expect(await titles('/open')).toHaveLength(3)
    }
    const payload = { title: 'x', authorId: 1 }
    const post = async (prefix: string) =>
      (await app.inject({ method: 'POST', url: `${prefix}/ticket`, payload })).statusCode
    expect([await post('/public'), await post('/staff'), await post('/open')]).toEqual([403, 201, 201])
  })
})
