/** What each kind of ids costs beside integers: the same works in turn, on each database. Without HTTP. */
import { Type } from '@sinclair/typebox'
import { createStore, createTables, defineResources, type IdDeclaration, type Model, ownedBy, owns } from 'fastify-crud'
import { openPostgres } from 'fastify-crud/postgres'
import { openSqlite } from 'fastify-crud/sqlite'
import { DATABASES, isPostgres, startDatabases } from './src/databases.ts'
import { CHILDREN } from './src/resources.ts'

const RECORDS = 2_000
const ROUNDS = 3_000
/** The first rounds compile, prepare, and make generic plans on PostgreSQL. */
const NOT_COUNTED = 500

let made = 0
const KINDS: Readonly<Record<string, IdDeclaration>> = {
  integer: 'integer',
  bigint: 'bigint',
  uuid: 'uuid',
  'uuid, hex': { kind: 'uuid', stored: 'hex' },
  'text of a function': { kind: 'text', assign: () => `record ${++made}` },
}

const fields = { name: Type.String(), quantity: Type.Integer() }
const modelOf = (id: IdDeclaration): Model =>
  defineResources({
    parent: { id, fields, relations: { children: owns.many('child') } },
    child: { id, fields, relations: { parent: ownedBy('parent') } },
  }) as Model

const body = {
  name: 'one',
  quantity: 1,
  children: Array.from({ length: CHILDREN }, () => ({ name: 'two', quantity: 2 })),
}

for (const name of ['sqlite', 'postgres'] as const) {
  await using databases = await startDatabases(name)
  const sides: Side[] = []
  for (const [kind, id] of Object.entries(KINDS)) sides.push(await sideOf(kind, modelOf(id), await databases.create()))
  for (let round = 0; round < ROUNDS; round++) {
    for (const side of sides) await side.run(round)
  }
  console.log(
    `\n| ${DATABASES[name]}, times the time of integers | ${Object.keys(sides[0]?.times ?? {}).join(' | ')} |`,
  )
  console.log(`| --- | ${'--: | '.repeat(3).trim()}`)
  for (const { kind, times } of sides) {
    const ratios = Object.entries(times).map(([work, all]) => median(all) / median(sides[0]?.times[work] ?? []))
    console.log(`| ${kind} | ${ratios.map((ratio) => ratio.toFixed(2)).join(' | ')} |`)
  }
  for (const side of sides) await side.close()
}

type Side = Awaited<ReturnType<typeof sideOf>>

async function sideOf(kind: string, resources: Model, location: string) {
  const db = isPostgres(location) ? openPostgres(location, { max: 1 }) : openSqlite(location)
  await createTables(db, resources)
  const parents = createStore({ db, resources }).resource('parent')
  const ids: (number | string)[] = []
  while (ids.length < RECORDS) ids.push((await parents.create(body)).id)
  const times: Record<string, number[]> = { 'create with 5 children': [], 'read one': [], 'list 20': [] }
  const works = [
    () => parents.create(body),
    (round: number) => parents.find(ids[(round * 7) % RECORDS] as number),
    () => parents.list({ limit: 20 }),
  ]
  return {
    kind,
    times,
    async run(round: number) {
      for (const [index, work] of works.entries()) {
        const begin = performance.now()
        await work(round)
        const time = performance.now() - begin
        if (round >= NOT_COUNTED) Object.values(times)[index]?.push(time)
      }
    },
    close: () => db.destroy(),
  }
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0
}
