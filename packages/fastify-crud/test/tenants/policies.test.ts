import { Type } from '@sinclair/typebox'
import Fastify from 'fastify'
import { createTables, crudPlugin, defineResources, type Policies } from 'fastify-crud'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { databases } from '../../../../test/support/databases.ts'
import { FOUR, NINE, resources, useShop } from './shop.ts'

type ShopPolicies = Policies<typeof resources, { readonly id: number }>

/** Projects show while their tenant has a label with their name. */
const withLabel: ShopPolicies = {
  org: true,
  label: true,
  member: ({ eb }) => eb('email', 'like', '%@%'),
  project: ({ eb }) =>
    eb.exists(
      eb
        .selectFrom('task')
        .leftJoin('label', 'label.name', 'task.title')
        .select('task.id')
        .whereRef('task.projectId', '=', 'project.id')
        .where('label.id', 'is not', null),
    ),
}

const caller = () => ({ id: 1 })

describe.each(databases)('Policies with tenants ($name)', (database) => {
  const shop = useShop(database, { plugin: { caller, policies: withLabel as Policies } })

  test('look at the rows of one tenant in each table that they name', async () => {
    await shop.add(NINE, '/api/label', { id: 'a', name: 'Plan' })
    const project = { id: 'p', name: 'P', tasks: [{ title: 'Plan' }] }
    const refused = await shop.request(FOUR, 'POST', '/api/project', project)
    expect(refused.status).toBe(403)
    await shop.add(NINE, '/api/project', project)
    await shop.add(FOUR, '/api/label', { id: 'b', name: 'Plan' })
    await shop.add(FOUR, '/api/project', project)
    expect((await shop.request(NINE, 'DELETE', '/api/label/a')).status).toBe(204)
    expect((await shop.request(NINE, 'GET', '/api/project')).body).toMatchObject({ count: 0 })
    expect((await shop.request(FOUR, 'GET', '/api/project/p')).body).toMatchObject({ name: 'P' })
  })

  test('are asked for their own resource within the tenant', async () => {
    await shop.add(FOUR, '/api/member', { email: 'f@four.example' })
    await shop.add(NINE, '/api/member', { email: 'n@nine.example' })
    expect((await shop.request(FOUR, 'GET', '/api/member')).body).toMatchObject({ rows: [{ email: 'f@four.example' }] })
    expect((await shop.request(FOUR, 'POST', '/api/member', { email: 'no' })).status).toBe(403)
  })

  async function startWith(policies: object): Promise<void> {
    const open = await database.open()
    const app = Fastify()
    try {
      await createTables(open.db, resources)
      await app.register(crudPlugin, {
        db: open.db,
        resources,
        caller,
        tenant: () => FOUR,
        policies: policies as Policies,
      })
      await app.ready()
    } finally {
      await app.close()
      await open.close()
    }
  }

  test('with SQL text that reads a table fail the start, unless they name the tenant', async () => {
    const counting = sql<boolean>`(select count(*) from task) > 1`
    await expect(startWith({ ...withLabel, member: () => counting })).rejects.toThrow(
      /policies\.member: its SQL text reads the table 'task'.*my\.tenant/,
    )
    await startWith({ ...withLabel, member: () => sql<boolean>`lower(email) = 'task'` })
    await startWith({
      ...withLabel,
      member: ({ my }: { my: { tenant: unknown } }) =>
        sql<boolean>`(select count(*) from task where "orgId" = ${my.tenant}) > 1`,
    })
  })

  test('are needed for what all tenants share, unless it is public', async () => {
    const model = defineResources(
      { org: {}, country: { tenant: false, fields: { name: Type.String() } } },
      { tenant: { resource: 'org' } },
    )
    const open = await database.open()
    const start = async (policies?: object) => {
      const app = Fastify()
      await createTables(open.db, model)
      const plugin = { db: open.db, resources: model, tenant: () => 1, ...(policies && { policies }) }
      await app.register(crudPlugin, plugin as never)
      await app.ready()
      await app.close()
    }
    await expect(start()).rejects.toThrow(/policies\.country: is missing/)
    await start({ org: true, country: true })
    await open.close()
  })
})
