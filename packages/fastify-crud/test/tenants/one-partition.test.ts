import { createStore } from 'fastify-crud'
import { describe, expect, test } from 'vitest'
import { setups } from '../../../../test/support/databases.ts'
import { FOUR, NINE, resources, useShop } from './shop.ts'

const postgres = setups.filter(({ name }) => name === 'postgres')

// `request` expects it of each statement that the service sends: see `test/support/partition-watch.ts`. The contract says the same of its
// requests, in `test:long`.
describe.each(postgres)('A statement touches one partition of each table ($title)', (database) => {
  const shop = useShop(database, { partitions: 16 })
  const { request, add } = shop

  async function addProject(tenant: string, id: string): Promise<void> {
    const lead = await add(tenant, '/api/member', { email: `${id}@example.org` })
    await add(tenant, '/api/label', { id: `${id}-hot`, name: 'Hot' })
    await add(tenant, '/api/project', {
      id,
      name: id,
      leadId: lead.id,
      countryId: 'AT',
      tasks: ['One', 'Two', 'Three'].map((title) => ({ title, labels: [{ id: `${id}-hot` }] })),
    })
  }

  /** Requests of each kind. Returns how often each status was answered. */
  async function askAll(tenant: string): Promise<Record<number, number>> {
    const statuses: Record<number, number> = {}
    const ask = async (method: string, path: string, body?: unknown) => {
      const answer = await request(tenant, method, path, body)
      statuses[answer.status] = (statuses[answer.status] ?? 0) + 1
      return answer.body
    }
    const filter = (query: object) => `/api/project?filter=${encodeURIComponent(JSON.stringify(query))}`
    const { next } = await ask('GET', '/api/project?limit=1&sort=-name')
    await ask('GET', `/api/project?limit=1&sort=-name&after=${next}`)
    await ask('GET', filter({ tasks: { some: { labels: { some: { name: 'Hot' } } } } }))
    await ask('GET', filter({ tasks: { none: { title: { icontains: 'x' } } }, 'lead.email': { startsWith: 'a' } }))
    await ask('GET', filter({ taskCount: { gte: 1 }, memberCount: { gte: 1 } }))
    await ask('GET', '/api/project?sort=lead.email,-taskCount&count=1&nested[tasks][limit]=1&nested[tasks][sort]=title')
    await ask('GET', '/api/project?fields=name,count(tasks),lead.email&include=org')
    await ask('GET', '/api/project/$group?by=lead.email,country.name&values=count(),max(taskCount)')
    await ask('GET', '/api/project/a/task/$group?by=project.name')
    const read = await ask('GET', '/api/project/a')
    await ask('PUT', '/api/project/a', read)
    const [first, second] = read.tasks
    const tasks = [
      { ...first, title: second.title },
      { ...second, title: first.title },
      { title: 'New', labels: [] },
    ]
    await ask('PUT', '/api/project/a', { ...read, name: 'b', tasks })
    await ask('PUT', '/api/project/a', { ...read, name: 'c', tasks: [], leadId: null })
    await ask('PATCH', '/api/project/a', { tasks: [{ title: 'Last', labels: [{ id: 'a-hot' }] }] })
    await ask('PATCH', '/api/project/a', { leadId: 1 })
    await ask('PATCH', '/api/project/a', { countryId: 'XX' })
    await ask('POST', '/api/project/a/task', { title: 'Nested' })
    await ask('POST', '/api/project', { id: 'a', name: 'again', tasks: [] })
    await ask('POST', '/api/project', { id: 'z', name: 'b', tasks: [] })
    await ask('DELETE', '/api/project/a/task/00000000-0000-7000-8000-000000000000')
    await ask('DELETE', '/api/label/a-hot')
    await ask('PATCH', `/api/org/${tenant}`, { name: 'Renamed' })
    await ask('DELETE', `/api/org/${tenant}`)
    const { rows } = await ask('GET', '/api/member?sort=email')
    for (const { id } of rows) await ask('DELETE', `/api/member/${id}`)
    await ask('DELETE', '/api/project/a')
    await ask('DELETE', '/api/project/b')
    return statuses
  }

  test('for requests of each kind', async () => {
    for (const tenant of [FOUR, NINE]) for (const id of ['a', 'b']) await addProject(tenant, id)
    const statuses = await askAll(FOUR)
    expect(statuses).toEqual({ 200: 16, 201: 1, 204: 5, 400: 1, 404: 1, 409: 4 })
    expect(shop.service.watch?.seen).toBeGreaterThan(30)
    expect((await request(NINE, 'GET', '/api/project')).body).toMatchObject({ count: 2 })
  })

  test("in an application's own transaction, and to remove all rows of a tenant", async () => {
    for (const tenant of [FOUR, NINE]) await addProject(tenant, 'a')
    const { watch } = shop.service
    const db = watch?.db ?? expect.fail('the statements are not watched')
    const store = createStore({ db, resources })
    await db.transaction().execute(async (trx) => {
      const four = store.in(trx).asSystem({ tenant: FOUR })
      await four.project.patch('a', { name: 'Renamed', tasks: [{ title: 'More' }] })
      await four.project.delete('a')
    })
    await store.asSystem().purgeTenant(NINE)
    expect(await watch?.take()).toEqual([])
    expect((await request(NINE, 'GET', '/api/project')).body).toMatchObject({ count: 0 })
  })

  const system = () => createStore({ db: shop.service.watch?.db as never, resources }).asSystem()

  test.each([
    [
      'a list of the records of all tenants',
      ['plan with values', 'plan for all values'],
      async () => void (await system().member.list({})),
    ],
    [
      'the delete of a record that all tenants share',
      ['plan with values', 'plan for all values', 'counted'],
      async () => void (await system().country.delete('DE')),
    ],
  ])('but for %s', async (_title, how, run) => {
    for (const tenant of [FOUR, NINE]) await addProject(tenant, 'a')
    await shop.service.db.insertInto('country').values({ id: 'DE', name: 'Germany' }).execute()
    await run()
    const found = (await shop.service.watch?.take()) ?? []
    expect(new Set(found.map((one) => one.split(':')[0]))).toEqual(new Set(how))
  })
})
