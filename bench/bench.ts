/** This library beside services by hand: prints a table for each database. */
import { checkAnswers } from './src/check-answers.ts'
import { DATABASES } from './src/databases.ts'
import { measure } from './src/measure.ts'
import { readOptions } from './src/options.ts'
import { introductionOf, toTable } from './src/to-table.ts'
import { works, worksByHand } from './src/works.ts'

const SIDES = {
  ours: 'fastify-crud',
  plain: 'fastify-crud, plain Kysely',
  raw: 'driver by hand',
  kysely: 'Kysely by hand',
}

const options = readOptions(SIDES)
console.log(introductionOf(options))
for (const database of options.databases) {
  const contenders = options.sides.map((side) => ({
    title: SIDES[side],
    module: new URL(`./sides/${side === 'raw' ? `raw-${database}` : side}.ts`, import.meta.url),
    works: side === 'raw' || side === 'kysely' ? worksByHand : works,
  }))
  const runs = await measure(contenders, database, options, checkAnswers)
  console.log(`\n${toTable(DATABASES[database], runs, contenders)}`)
}
