/** This library beside an older commit of itself, and beside services by hand: prints a table for each database. */
import { checkOut } from './src/check-out.ts'
import { checkWorks } from './src/check-works.ts'
import type { Contender } from './src/contender.ts'
import { DATABASES } from './src/databases.ts'
import { measure } from './src/measure.ts'
import { readOptions } from './src/options.ts'
import { runByTime } from './src/run-rounds.ts'
import { toTable } from './src/to-table.ts'
import { works } from './src/works.ts'

const SIDES = { ours: 'now', before: 'before', raw: 'tuned by hand', kysely: 'Kysely by hand' }

const options = readOptions(SIDES)
const { commit = 'HEAD', connections, rounds, seconds, warmUp } = options
await using older = await checkOut(commit)
console.log(
  `Node ${process.version}, ${connections} connections, each side warmed for ${warmUp} s, ${rounds} rounds of ${seconds} s;`,
)
console.log('requests per second, and how many times as many there are now: median (middle half).')
for (const database of options.databases) {
  const contenders = options.sides.map((side): Contender => {
    const module = side === 'raw' ? `raw-${database}` : side === 'before' ? (older.opens ? 'ours' : 'kept') : side
    const contender = { title: SIDES[side], module: new URL(`./sides/${module}.ts`, import.meta.url), works }
    return side === 'before' ? { ...contender, title: commit, packages: older.packages } : contender
  })
  const runs = await measure(contenders, database, options, checkWorks, runByTime)
  console.log(`\n${toTable(DATABASES[database], runs, contenders)}`)
}
