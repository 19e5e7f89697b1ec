/** What a search takes with an index, and beside the same without one, on each database. Without HTTP. `--records 2000,50000`: how many there are. */
import { parseArgs } from 'node:util'
import { Type } from '@sinclair/typebox'
import { createStore, createTables, defineResources } from 'fastify-crud'
import { openPostgres } from 'fastify-crud/postgres'
import { openSqlite } from 'fastify-crud/sqlite'
import { sql } from 'kysely'
import { DATABASES, isPostgres, startDatabases } from './src/databases.ts'

const { values } = parseArgs({ options: { records: { type: 'string', default: '10000,1000000' } } })
const SIZES = values.records.split(',').map(Number)

const AT_ONCE = 1_000
const ROUNDS = 12
/** The first rounds compile and prepare. */
const NOT_COUNTED = 4

const fields = { title: Type.String(), note: Type.Optional(Type.String()) }
const search = { fields: ['title', 'note'] }
const indexed = defineResources({ book: { fields, search: { ...search, index: true } } })
const plain = defineResources({ book: { fields, search } })

const WORDS = ['lamp', 'index', 'river', 'stone', 'winter', 'garden', 'letter', 'orange', 'silver', 'mountain']

for (const name of ['sqlite', 'postgres'] as const) {
  console.log(`\n| ${DATABASES[name]} | records | with the index | without it |\n| --- | --: | --: | --: |`)
  await using databases = await startDatabases(name)
  for (const records of SIZES) {
    const location = await databases.create()
    const db = isPostgres(location) ? openPostgres(location, { max: 1 }) : openSqlite(location)
    await createTables(db, indexed)
    await fill(db, location, records)
    const sides = [indexed, plain].map((resources) => createStore({ db, resources: resources as typeof indexed }).book)
    const works = {
      'a word of one record': { search: `n${records >> 1}x` },
      'two words, of one record': { search: `lamp n${records >> 1}x` },
      'a word of a tenth of them, counted': { search: 'garden' },
      'the same, not counted': { search: 'garden', count: 'none' },
      'the same, counted up to 100': { search: 'garden', count: 100 },
      'two letters': { search: 'la', count: 'none' },
      'a word of no record': { search: 'nowhere' },
    } as const
    for (const [work, options] of Object.entries<{ readonly search: string }>(works)) {
      const times: number[] = []
      for (const book of sides) times.push(await timeOf(() => book.list(options)))
      console.log(`| ${work} | ${records} | ${times.map((time) => `${time.toFixed(2)} ms`).join(' | ')} |`)
    }
    await db.destroy()
  }
}

type Db = Parameters<typeof createTables>[0]

async function fill(db: Db, location: string, records: number): Promise<void> {
  for (let from = 0; from < records; from += AT_ONCE) {
    const rows = Array.from({ length: Math.min(AT_ONCE, records - from) }, (_, index) => {
      const number = from + index
      const word = (step: number) => WORDS[(number * step + (number >> 3)) % WORDS.length]
      return { title: `The ${word(1)} of n${number}x`, note: number % 3 === 0 ? `${word(7)} and ${word(3)}` : null }
    })
    await db.insertInto('book').values(rows).execute()
  }
  // PostgreSQL keeps new entries of such an index aside until the table is vacuumed, and SQLite all that was written in a log.
  for (const one of isPostgres(location) ? ['vacuum analyze book'] : ['analyze', 'pragma wal_checkpoint(truncate)'])
    await sql.raw(one).execute(db)
}

/** The median, in milliseconds. */
async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const times: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const begin = performance.now()
    await work()
    if (round >= NOT_COUNTED) times.push(performance.now() - begin)
  }
  return times.toSorted((a, b) => a - b)[times.length >> 1] ?? 0
}
