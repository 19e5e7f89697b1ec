import { Type } from '@sinclair/typebox'
import { defineResources, type Model } from 'fastify-crud'
import { beforeEach, expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../test/support/json-body.ts'

describeOnBoth('Idempotency-Key of tenants', (database) => {
  const org = { fields: { name: Type.String() } }
  const resources = defineResources(
    { org, bill: { fields: { title: Type.String() } } },
    { tenant: { resource: 'org' } },
  ) as Model
  const tenant = (_: unknown, { headers }: JsonBody) => Number(headers['x-org'])
  const service = useApp(database, resources, { plugin: { tenant: tenant as never } })
  let orgs: number[]
  beforeEach(async () => {
    for (const name of ['Four', 'Nine']) await service.db.insertInto('org').values({ name }).execute()
    const rows = await service.db.selectFrom('org').select('id').orderBy('id').execute()
    orgs = rows.map(({ id }) => Number(id))
  })

  test('each tenant has keys of its own', async () => {
    const post = (whose: number | undefined, title: string) =>
      service.request('POST', '/api/bill', { title }, { 'x-org': String(whose), 'idempotency-key': 'a' })
    const [four, nine] = orgs
    const first = await post(four, 'x')
    expect((await post(nine, 'y')).status).toBe(201)
    expect((await post(four, 'x')).body).toEqual(first.body)
    expect((await post(four, 'y')).status).toBe(422)
    const rows = await service.db.selectFrom('crud_idempotency').select('tenant').execute()
    expect(rows.map((row) => row.tenant).sort()).toEqual([String(four), String(nine)].sort())
  })
})
