/** What tenants cost beside the same model without them: the same works in turn, on each database. Without HTTP. */
import { Type } from '@sinclair/typebox'
import { createStore, createTables, defineResources, ownedBy, owns } from 'fastify-crud'
import { openPostgres } from 'fastify-crud/postgres'
import { openSqlite } from 'fastify-crud/sqlite'
import { DATABASES, isPostgres, startDatabases } from './src/databases.ts'
import { CHILDREN } from './src/resources.ts'

const RECORDS = 2_000
const ROUNDS = 3_000
/** The first rounds compile, prepare, and make generic plans on PostgreSQL. */
const NOT_COUNTED = 500

const fields = { name: Type.String(), quantity: Type.Integer() }
const descriptors = {
  org: { id: 'uuid', fields: { name: Type.String() } },
  parent: { id: 'uuid', fields, relations: { children: owns.many('child') } },
  child: { id: 'uuid', fields, relations: { parent: ownedBy('parent') } },
} as const

const body = {
  name: 'one',
  quantity: 1,
  children: Array.from({ length: CHILDREN }, () => ({ name: 'two', quantity: 2 })),
}

for (const name of ['sqlite', 'postgres'] as const) {
  await using databases = await startDatabases(name)
  const sides = [await sideOf(await databases.create(), false), await sideOf(await databases.create(), true)] as const
  for (let round = 0; round < ROUNDS; round++) {
    for (const side of sides) await side.run(round)
  }
  const [without, tenants] = sides.map(({ times }) => times) as [Times, Times]
  console.log(`\n| ${DATABASES[name]} | times the time without tenants |\n| --- | --: |`)
  for (const [work, all] of Object.entries(tenants)) {
    console.log(`| ${work} | ${(median(all) / median(without[work] ?? [])).toFixed(2)} |`)
  }
  for (const side of sides) await side.close()
}

type Times = Readonly<Record<string, number[]>>

async function sideOf(location: string, hasTenants: boolean) {
  const db = isPostgres(location) ? openPostgres(location, { max: 1 }) : openSqlite(location)
  const parents = hasTenants ? await withTenants(db) : await withoutTenants(db)
  const ids: string[] = []
  while (ids.length < RECORDS) ids.push((await parents.create(body)).id)
  const idAt = (round: number) => ids[(round * 7) % RECORDS] as string
  const works: Readonly<Record<string, (round: number) => Promise<unknown>>> = {
    'read one': (round) => parents.find(idAt(round)),
    'list 20, counted': () => parents.list({ limit: 20 }),
    'list 20, not counted': () => parents.list({ limit: 20, count: 'none' }),
    'create with 5 children': () => parents.create(body),
    'PATCH one field': (round) => parents.patch(idAt(round), { quantity: round }),
  }
  const times: Times = Object.fromEntries(Object.keys(works).map((work) => [work, []]))
  return {
    times,
    async run(round: number) {
      for (const [work, run] of Object.entries(works)) {
        const begin = performance.now()
        await run(round)
        if (round >= NOT_COUNTED) times[work]?.push(performance.now() - begin)
      }
    },
    close: () => db.destroy(),
  }
}

type Db = Parameters<typeof createTables>[0]

/** What both models have alike. */
interface Parents {
  find(id: string): Promise<unknown>
  list(options: object): Promise<unknown>
  create(given: object): Promise<{ readonly id: string }>
  patch(id: string, given: object): Promise<unknown>
}

async function withoutTenants(db: Db): Promise<Parents> {
  const resources = defineResources(descriptors)
  await createTables(db, resources)
  return createStore({ db, resources }).parent as unknown as Parents
}

async function withTenants(db: Db): Promise<Parents> {
  const resources = defineResources(descriptors, { tenant: { resource: 'org' } })
  await createTables(db, resources)
  const store = createStore({ db, resources })
  const { id } = await store.asSystem().org.create({ name: 'one' })
  return store.asSystem({ tenant: id }).parent as unknown as Parents
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0
}
