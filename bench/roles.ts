/** What many sets of roles cost: one set, and a thousand in turn, on each database. Without HTTP. */
import { Type } from '@sinclair/typebox'
import Fastify from 'fastify'
import { createTables, crudPlugin, defineResources } from 'fastify-crud'
import { openPostgres } from 'fastify-crud/postgres'
import { openSqlite } from 'fastify-crud/sqlite'
import { DATABASES, isPostgres, startDatabases } from './src/databases.ts'

const SETS = 1_000
const ROUNDS = 10
const ROWS = 100

const resources = defineResources({
  note: { fields: { text: Type.String(), authorId: Type.Integer({ index: true }), kind: Type.Integer() } },
})
const roles = Array.from({ length: 10 }, (_, index) => `role${index}`)
/** Each number from 1 on is another set. */
const setOf = (number: number) => roles.filter((_, index) => (number >> index) & 1)

const mine = ({ eb, my }: never) => (eb as CallableFunction)('authorId', '=', (my as CallableFunction)('id'))
const policies = {
  'the same rights': Object.fromEntries(roles.map((role) => [role, mine])),
  'other rights each': Object.fromEntries(
    roles.map((role, index) => [
      role,
      // A role more costs a condition more, be it of one set or of many: so all but the first find nothing.
      ({ eb, my }: never) =>
        (eb as { and: CallableFunction }).and([
          (eb as CallableFunction)('authorId', '=', (my as CallableFunction)('id')),
          (eb as CallableFunction)('kind', '=', index),
        ]),
    ]),
  ),
}

const RIGHTS = ['the same rights', 'other rights each'] as const

console.log('| | one set, ms | 1,000 sets, ms | ratio |\n| --- | --: | --: | --: |')
for (const name of ['sqlite', 'postgres'] as const) {
  await using databases = await startDatabases(name)
  for (const rights of RIGHTS) await measure(DATABASES[name], await databases.create(), rights)
}

/** The same requests in turn: by the callers with the sets, and each by a caller of a service that knows the one set only. */
async function measure(database: string, location: string, rights: keyof typeof policies): Promise<void> {
  await using db = isPostgres(location)
    ? openPostgres(location, { resources, max: 1 })
    : openSqlite(location, { resources })
  await createTables(db, resources)
  for (let id = 1; id <= ROWS; id++) {
    await db
      .insertInto('note')
      .values({ text: `note ${id}`, authorId: id % 10, kind: id % 10 })
      .execute()
  }
  const start = async () => {
    const app = Fastify()
    const caller = ({ headers }: { headers: Record<string, unknown> }) => ({
      id: 1,
      roles: setOf(Number(headers['x-set'])),
    })
    await app.register(crudPlugin, { db, resources, caller, policies: { note: policies[rights] } as never })
    return app
  }
  await using one = await start()
  await using many = await start()
  const timeOf = async (app: typeof one, set: number) => {
    const begin = performance.now()
    const { statusCode, payload } = await app.inject({ url: '/api/note', headers: { 'x-set': `${set}` } })
    if (statusCode !== 200) throw new Error(`answered ${statusCode}: ${payload}`)
    return performance.now() - begin
  }
  // Half of the roles, as a set has on average.
  const ONE = 0b0101010101
  const timesOfOne: number[] = []
  const timesOfMany: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    for (let set = 1; set <= SETS; set++) {
      const times = [await timeOf(one, ONE), await timeOf(many, set)] as const
      // The first rounds compile, prepare, and on PostgreSQL make generic plans after five executions.
      if (round < 7) continue
      timesOfOne.push(times[0])
      timesOfMany.push(times[1])
    }
  }
  const [single, thousand] = [median(timesOfOne), median(timesOfMany)]
  const figures = `${single.toFixed(3)} | ${thousand.toFixed(3)} | ${(thousand / single).toFixed(2)}`
  console.log(`| ${database}, ${rights} | ${figures} |`)
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] as number
}
