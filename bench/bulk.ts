/** What one request of many records costs beside as many requests of one record, in turn, on each database. Without HTTP. */
import { Type } from '@sinclair/typebox'
import { createStore, createTables, defineResources, needs, ownedBy, owns } from 'fastify-crud'
import { openPostgres } from 'fastify-crud/postgres'
import { openSqlite } from 'fastify-crud/sqlite'
import { DATABASES, isPostgres, startDatabases } from './src/databases.ts'

const RECORDS = Number(process.argv[2] ?? 1_000)
const ROUNDS = 5

const resources = defineResources({
  maker: { fields: { name: Type.String() } },
  item: {
    fields: { code: Type.String(), price: Type.Integer() },
    relations: { maker: needs.one('maker'), parts: owns.many('part') },
    unique: [['code']],
  },
  part: { fields: { name: Type.String() }, relations: { item: ownedBy('item') } },
})

for (const name of ['sqlite', 'postgres'] as const) {
  await using databases = await startDatabases(name)
  const location = await databases.create()
  const db = isPostgres(location) ? openPostgres(location, { max: 1 }) : openSqlite(location)
  await createTables(db, resources)
  const { item, maker } = createStore({ db, resources })
  const { id: makerId } = await maker.create({ name: 'm' })
  let round = 0
  const bodies = (kind: string) =>
    Array.from({ length: RECORDS }, (_, n) => ({ code: `${kind} ${round} ${n}`, price: n, makerId }))
  const withParts = (kind: string) => bodies(kind).map((body) => ({ ...body, parts: [{ name: 'a' }, { name: 'b' }] }))
  const one = async <Body>(all: readonly Body[], write: (body: Body) => Promise<unknown>) => {
    for (const body of all) await write(body)
  }
  const { rows } = await item.createMany(bodies('patched'))
  const changes = () => rows.map(({ id }) => ({ id, price: ++round }))
  const works = {
    'POST of records': [() => item.createMany(bodies('a')), () => one(bodies('b'), (body) => item.create(body))],
    'POST of records with two children': [
      () => item.createMany(withParts('c')),
      () => one(withParts('d'), (body) => item.create(body)),
    ],
    PATCH: [() => item.patchMany(changes()), () => one(changes(), ({ id, ...body }) => item.patch(id, body))],
    'PUT by a unique key': [
      () => item.upsertMany(bodies('e'), { by: ['code'] }),
      () => one(bodies('f'), (body) => item.upsert(body, { by: ['code'] })),
    ],
  } as const
  console.log(`\n| ${DATABASES[name]}, ${RECORDS} records | times as fast as one by one |\n| --- | --: |`)
  for (const [work, sides] of Object.entries(works)) {
    const times: [number[], number[]] = [[], []]
    for (let n = 0; n < ROUNDS; n++) {
      for (const [index, side] of sides.entries()) {
        round++
        const begin = performance.now()
        await side()
        times[index]?.push(performance.now() - begin)
      }
    }
    const [many, single] = times.map((all) => all.sort((a, b) => a - b)[Math.floor(all.length / 2)] as number) as [
      number,
      number,
    ]
    console.log(`| ${work} | ${(single / many).toFixed(1)} |`)
  }
  await db.destroy()
}
