/**
 * Asks for lists by filters of which no two have the same shape, one after the other without a pause: `node many-shapes-process.ts
 * sqlite|postgres <file or URL> <direct>`. Sends how many MB the process has grown from the {@link WARM} first filters to the last.
 */
import { createStore, defineResources } from '@fastify-crud/core'
import { openPostgres } from '@fastify-crud/core/postgres'
import { openSqlite } from '@fastify-crud/core/sqlite'
import { createTables } from '@fastify-crud/tables'
import { Type } from '@sinclair/typebox'

const SHAPES = 10_000
/** By then all that is compiled once is compiled, and the heap has its size. */
const WARM = 500
const CONDITIONS = 20

const text = Type.String({ default: '' })
const resources = defineResources({ note: { fields: { a: text, b: text, c: text } } })
const FIELDS = ['a', 'b', 'c'] as const
const OPERATORS = ['eq', 'ne', 'lt', 'lte', 'gt', 'gte', 'contains', 'startsWith', 'endsWith', 'icontains'] as const

/** The digits of a number say which operators its filter has. */
function filterOf(shape: number) {
  const condition = (index: number) => {
    const digit = Math.floor(shape / OPERATORS.length ** (index % 4)) % OPERATORS.length
    const operator = OPERATORS[(digit + index) % OPERATORS.length] as (typeof OPERATORS)[number]
    return { [FIELDS[index % FIELDS.length] as (typeof FIELDS)[number]]: { [operator]: 'x' } }
  }
  return { or: Array.from({ length: CONDITIONS }, (_, index) => condition(index)) }
}

const [name, location = '', direct] = process.argv.slice(2)
const db =
  name === 'sqlite'
    ? openSqlite(location, { direct: direct === 'true', pragmas: { synchronous: 'off' } })
    : openPostgres(location, { max: 1 })
await createTables(db, resources)
const notes = createStore({ db, resources }).resource('note')

const ask = async (from: number, to: number) => {
  for (let shape = from; shape < to; shape++) await notes.list({ filter: filterOf(shape) })
}
await ask(0, WARM)
const before = process.memoryUsage.rss()
await ask(WARM, SHAPES)
process.send?.((process.memoryUsage.rss() - before) / 1e6)
await db.destroy()
process.disconnect()
