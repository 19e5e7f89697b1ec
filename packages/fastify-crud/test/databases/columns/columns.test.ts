import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { openedSetups, setups } from '../../../../../test/support/databases.ts'
import { isLong } from '../../../../../test/support/is-long.ts'
import { report } from '../../../../../test/support/report.ts'
import { seed } from '../../../../../test/support/seed.ts'
import { checkBodies, checkRecords } from './check-columns.ts'
import { checkQueries } from './check-queries.ts'
import { type ColumnKind, type ColumnsCase, columnsCase, type Settings } from './column-kind.ts'
import { withColumns } from './columns-service.ts'
import { postgresKinds } from './postgres-kinds.ts'
import { randomSettings } from './random-settings.ts'
import { sqliteKinds } from './sqlite-kinds.ts'

/*
 * Columns of random types, with random values that SQL and bodies have written, under random settings of the database.
 *
 * FC_SEED and FC_PATH replay a failure, FC_RUNS says how many cases there are, and FC_COLUMNS names one type, such as `interval`.
 */
const { FC_PATH, FC_RUNS, FC_COLUMNS } = process.env

const RUNS = Number(FC_RUNS ?? (isLong ? 300 : 6))
const SECONDS_TO_REDUCE = 40
const none: fc.Arbitrary<Settings> = fc.constant({ of: 'database', values: {} })

describe.each(isLong ? setups : openedSetups)('columns of any type ($title)', (database) => {
  test(
    'show what their schemas allow, take it back, and are found and sorted by it',
    async () => {
      const isSqlite = database.name === 'sqlite'
      const all = !isSqlite ? postgresKinds : sqliteKinds.filter((kind) => database.isDirect || !needsFunctions(kind))
      const kinds = all.filter(({ type }) => FC_COLUMNS === undefined || type === FC_COLUMNS)
      report(`property test of columns (${database.title}): FC_SEED=${seed}`)
      let failedAt: number | undefined
      const property = fc.asyncProperty(columnsCase(kinds, isSqlite ? none : randomSettings), async (given) => {
        // What is left of the time is not for smaller cases.
        if (failedAt !== undefined && Date.now() > failedAt + SECONDS_TO_REDUCE * 1000) return
        try {
          await withColumns(database, given, async (service) => {
            const records = await checkRecords(given.columns, service)
            await checkQueries(given, service, records)
            await checkBodies(given, service)
          })
        } catch (error) {
          failedAt ??= Date.now()
          throw error
        }
      })
      const { failed, counterexample, counterexamplePath, errorInstance } = await fc.check(property, {
        seed,
        numRuns: RUNS,
        ...(FC_PATH === undefined ? {} : { path: FC_PATH }),
      })
      if (!failed) return
      const told = `FC_SEED=${seed} FC_PATH=${counterexamplePath}\n${inWords(counterexample?.[0])}`
      expect.fail(`${told}\n${errorInstance instanceof Error ? errorInstance.stack : errorInstance}`)
    },
    (isLong ? 3_000 : 240) * 1000,
  )
})

/** SQLite itself prints no base64, and compares no decimals: `openSqlite` adds the functions. */
function needsFunctions({ type, schema }: ColumnKind): boolean {
  return type === 'blob' || schema?.format === 'decimal'
}

/** A case as one reads it. */
function inWords(given: ColumnsCase | undefined): string {
  if (given === undefined) return ''
  const columns = given.columns.map(
    ({ kind, nullable }) => `${kind.type} ${JSON.stringify(kind.schema)}${nullable ? '' : ' not null'}`,
  )
  const rows = given.rows.map((row) =>
    row.map(({ value }) => (Buffer.isBuffer(value) ? `x'${value.toString('hex')}'` : String(value))).join(' | '),
  )
  const bodies = given.bodies.map((values) => JSON.stringify(values))
  return [...columns, ...rows, ...bodies, JSON.stringify(given.settings)].join('\n')
}
