/** What a history costs beside the same model without one: the same writes in turn, on each database. Without HTTP. */
import { Type } from '@sinclair/typebox'
import { createStore, createTables, defineResources, type Model, ownedBy, owns } from 'fastify-crud'
import { openPostgres } from 'fastify-crud/postgres'
import { openSqlite } from 'fastify-crud/sqlite'
import { DATABASES, isPostgres, startDatabases } from './src/databases.ts'
import { CHILDREN } from './src/resources.ts'

const ROUNDS = 2_000
/** The first rounds compile, prepare, and make generic plans on PostgreSQL. */
const NOT_COUNTED = 300

const fields = { name: Type.String(), quantity: Type.Integer() }

function modelWith(history: boolean): Model {
  return defineResources({
    parent: { fields, relations: { children: owns.many('child') }, ...(history && { history }) },
    child: { fields, relations: { parent: ownedBy('parent') } },
  }) as Model
}

for (const name of ['sqlite', 'postgres'] as const) {
  await using databases = await startDatabases(name)
  const sides = [await sideOf(await databases.create(), false), await sideOf(await databases.create(), true)] as const
  for (let round = 0; round < ROUNDS; round++) {
    for (const side of round % 2 === 0 ? sides : sides.toReversed()) await side.run(round)
  }
  const [without, kept] = sides.map(({ times }) => times) as [Times, Times]
  console.log(`\n| ${DATABASES[name]} | times the time without history | without | with |\n| --- | --: | --: | --: |`)
  for (const [work, all] of Object.entries(kept)) {
    const others = without[work] ?? []
    const ratio = median(all.map((time, round) => time / (others[round] ?? 0)))
    console.log(`| ${work} | ${ratio.toFixed(2)} | ${median(others).toFixed(3)} ms | ${median(all).toFixed(3)} ms |`)
  }
  for (const side of sides) await side.close()
}

type Times = Readonly<Record<string, number[]>>

interface Child {
  readonly id?: number
  readonly name: string
  readonly quantity: number
}

interface Parents {
  find(id: number): Promise<{ readonly id: number; readonly children: readonly Child[] }>
  create(given: object): Promise<{ readonly id: number; readonly children: readonly Child[] }>
  patch(id: number, given: object): Promise<unknown>
  replace(id: number, given: object): Promise<{ readonly children: readonly Child[] }>
  delete(id: number): Promise<unknown>
}

async function sideOf(location: string, hasHistory: boolean) {
  const db = isPostgres(location) ? openPostgres(location, { max: 1 }) : openSqlite(location)
  const resources = modelWith(hasHistory)
  await createTables(db, resources)
  const parents = createStore({ db, resources }).parent as unknown as Parents
  const body = {
    name: 'one',
    quantity: 1,
    children: Array.from({ length: CHILDREN }, () => ({ name: 'two', quantity: 2 })),
  }
  let made = await parents.create(body)
  const works: Readonly<Record<string, (round: number) => Promise<unknown>>> = {
    'create with 5 children': async () => {
      made = await parents.create(body)
    },
    'PATCH one field': (round) => parents.patch(made.id, { quantity: round + 2 }),
    'PUT: 2 updated': (round) =>
      parents.replace(made.id, {
        ...made,
        children: made.children.map((one, index) => (index < 2 ? { ...one, quantity: round + 3 } : one)),
      }),
    'PUT: 2 updated, 2 removed': async (round) => {
      made = {
        ...made,
        ...(await parents.replace(made.id, {
          ...made,
          children: made.children.slice(2).map((one, index) => (index < 2 ? { ...one, quantity: round + 4 } : one)),
        })),
      }
    },
    'PUT: 1 updated, 2 new': async (round) => {
      made = {
        ...made,
        ...(await parents.replace(made.id, {
          ...made,
          children: [
            ...made.children.map((one, index) => (index < 1 ? { ...one, quantity: round + 5 } : one)),
            { name: 'new', quantity: 1 },
            { name: 'new', quantity: 2 },
          ],
        })),
      }
    },
    'PUT: 2 updated, 2 new, 2 removed': (round) =>
      parents.replace(made.id, {
        ...made,
        children: [
          ...made.children.slice(2).map((one, index) => (index < 2 ? { ...one, quantity: round + 6 } : one)),
          { name: 'new', quantity: 1 },
          { name: 'new', quantity: 2 },
        ],
      }),
    'DELETE with 5 children': () => parents.delete(made.id),
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

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0
}
