/** This library beside an older commit of itself, and beside services by hand: prints a table for each database. */
import { fileURLToPath } from 'node:url'
import { build, checkOut } from './src/check-out.ts'
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
// Sources would be unfair to the version that has more of them: once V8 has collected garbage while it loads them, the object literals of
// Node's `process.nextTick` take the slow way for as long as the process lives (Node 24), which is 3 of the 40 µs of a GET.
build(fileURLToPath(new URL('..', import.meta.url)))
await using older = await checkOut(commit)
console.log(
  `Node ${process.version}, ${connections} connections, each side warmed for ${warmUp} s, ${rounds} rounds of ${seconds} s;`,
)
console.log('requests per second, and how many times as many there are now: median (middle half).')
for (const database of options.databases) {
  const contenders = options.sides.map((side): Contender => {
    const module = side === 'raw' ? `raw-${database}` : side === 'before' ? (older.opens ? 'ours' : 'kept') : side
    const contender = {
      title: SIDES[side],
      module: new URL(`./sides/${module}.ts`, import.meta.url),
      works,
      isBuilt: true,
    }
    return side === 'before' ? { ...contender, title: commit, packages: older.packages } : contender
  })
  const runs = await measure(contenders, database, options, checkWorks, runByTime)
  console.log(`\n${toTable(DATABASES[database], runs, contenders)}`)
}
