/** What groups cost beside the same SQL by hand, in turn, on each database. Without HTTP. */
import { Type } from '@sinclair/typebox'
import { createStore, createTables, defineResources, needs } from 'fastify-crud'
import { openPostgres } from 'fastify-crud/postgres'
import { openSqlite } from 'fastify-crud/sqlite'
import { sql } from 'kysely'
import { DATABASES, isPostgres, startDatabases } from './src/databases.ts'

const INVOICES = 100_000
const CUSTOMERS = 100
const AT_ONCE = 1_000
const ROUNDS = 40
/** The first rounds compile and prepare. */
const NOT_COUNTED = 8

const resources = defineResources({
  customer: { fields: { name: Type.String() } },
  invoice: {
    fields: { status: Type.String({ maxLength: 20 }), total: Type.Integer(), day: Type.String({ format: 'date' }) },
    relations: { customer: needs.one('customer') },
  },
})

for (const name of ['sqlite', 'postgres'] as const) {
  await using databases = await startDatabases(name)
  const location = await databases.create()
  const db = isPostgres(location) ? openPostgres(location, { max: 1 }) : openSqlite(location)
  await createTables(db, resources)
  await fill(db)
  const { invoice } = createStore({ db, resources })
  const month = sql.raw(isPostgres(location) ? "to_char(day, 'YYYY-MM')" : 'substr(day, 1, 7)')
  const sum = sql.raw(isPostgres(location) ? 'sum(total)::text' : 'cast(sum(total) as text)')
  const works = {
    'by a field: count and sum': [
      () => invoice.group({ by: ['status'], values: ['count()', 'sum(total)'] }),
      () => sql`select status, count(*) as n, ${sum} as total from invoice group by status order by status`.execute(db),
    ],
    'by the month, of one status': [
      () => invoice.group({ by: ['month(day)'], values: ['count()', 'max(total)'], filter: { status: 'paid' } }),
      () =>
        sql`select ${month} as month, count(*) as n, max(total) as most from invoice where status = 'paid' group by 1 order by 1`.execute(
          db,
        ),
    ],
    'by what the customer is called': [
      () => invoice.group({ by: ['customer.name'], values: ['sum(total)'], limit: 100 }),
      () =>
        sql`select c.name, ${sum} as total from invoice join customer as c on c.id = invoice."customerId" group by c.name order by c.name limit 100`.execute(
          db,
        ),
    ],
  } as const
  console.log(`\n| ${DATABASES[name]}, ${INVOICES} records | times the time of SQL by hand |\n| --- | --: |`)
  for (const [work, sides] of Object.entries(works)) console.log(`| ${work} | ${(await ratioOf(sides)).toFixed(2)} |`)
  await db.destroy()
}

type Db = Parameters<typeof createTables>[0]

async function fill(db: Db): Promise<void> {
  const names = Array.from({ length: CUSTOMERS }, (_, index) => ({ name: `customer ${index}` }))
  await db.insertInto('customer').values(names).execute()
  for (let from = 0; from < INVOICES; from += AT_ONCE) {
    const rows = Array.from({ length: AT_ONCE }, (_, index) => ({
      status: ['draft', 'sent', 'paid', 'void'][(from + index) % 4],
      total: ((from + index) * 7919) % 10_000,
      day: new Date(Date.UTC(2026, 0, 1 + ((from + index) % 365))).toISOString().slice(0, 10),
      customerId: 1 + ((from + index) % CUSTOMERS),
    }))
    await db.insertInto('invoice').values(rows).execute()
  }
  await sql`analyze`.execute(db)
}

/** Of the medians. */
async function ratioOf(sides: readonly [() => Promise<unknown>, () => Promise<unknown>]): Promise<number> {
  const times: [number[], number[]] = [[], []]
  for (let round = 0; round < ROUNDS; round++) {
    for (const [index, side] of sides.entries()) {
      const begin = performance.now()
      await side()
      if (round >= NOT_COUNTED) times[index as 0 | 1].push(performance.now() - begin)
    }
  }
  return median(times[0]) / median(times[1])
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0
}
