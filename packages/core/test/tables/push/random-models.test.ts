import { checkTables, createStore, createTables, pushTables } from '@fastify-crud/core'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import type { OpenDatabase } from '../../../../../test/support/databases.ts'
import { describeOnBoth } from '../../../../../test/support/describe-on-databases.ts'
import { isLong } from '../../../../../test/support/is-long.ts'
import { tableNames, takeSnapshot } from '../../../../../test/support/tables.ts'
import { schemaObjects } from '../schema-objects.ts'
import { type Choices, choicesFrom, type RandomModel, randomModel } from './random-models.ts'

/** On PostgreSQL, tables take their time. */
const RUNS = isLong ? 300 : 25
const RUNS_ON_POSTGRES = isLong ? 100 : 5

/** The rows of each table, by the names of columns. */
type Rows = Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>>

describeOnBoth('pushTables between random models', (setup) => {
  let open: OpenDatabase
  const database = () => open

  const runs = setup.name === 'postgres' ? RUNS_ON_POSTGRES : RUNS

  test(`succeeds with all values kept, or changes nothing, for ${runs} pairs`, { timeout: 600_000 }, async () => {
    // The message of a failure has the seed. To repeat it, give it as SEED.
    const first = Number(process.env.SEED ?? Math.floor(Math.random() * 1e9))
    for (let seed = first; seed < first + runs; seed += 1) {
      open = await setup.open()
      const choices = choicesFrom(seed)
      const before = randomModel(choices)
      const after = randomModel(choices)
      const about = `seed ${seed}\n${before.shown}\n${after.shown}`
      try {
        await createTables(database().db, before.model)
        await fill(before, choices, about)
        await pushTo(after, choices, about)
        await pushTo(before, choices, `${about}\nback`)
      } finally {
        await open.close()
      }
    }
  })

  async function fill({ model, values }: RandomModel, choices: Choices, about: string): Promise<void> {
    const store = createStore({ db: database().db, resources: model })
    for (const [key, own] of Object.entries(values)) {
      const resource = model.resources.get(key)
      if (resource?.isRoot !== true || choices.rarely(4)) continue
      const body: Record<string, unknown> = {}
      for (const [name, possible] of Object.entries(own)) body[name] = choices.among(possible)
      const relations = model.descriptors[key]?.relations ?? {}
      if (relations.author !== undefined) {
        const { rows } = await store.resource('author').list()
        const id = rows[0]?.id
        if (id === undefined) continue
        body.authorId = id
        if (relations.fans !== undefined) body.fans = [{ id }]
      }
      if (relations.pages !== undefined) {
        const page = Object.entries(values.page ?? {}).map(([name, possible]) => [name, choices.among(possible)])
        body.pages = [Object.fromEntries(page)]
      }
      try {
        await store.resource(key).create(body)
      } catch (error) {
        // A value that another row has already.
        expect
          .soft((error as { code?: string }).code, `${about}\n${JSON.stringify(body)}\n${error}`)
          .toBe('CRUD_ERR_NOT_UNIQUE')
      }
    }
  }

  async function pushTo(to: RandomModel, choices: Choices, about: string): Promise<void> {
    const { db, name } = database()
    const rows = await rowsOf(database())
    const all = [await takeSnapshot(name, db), await schemaObjects(name, db)]
    try {
      await pushTables(db, to.model)
    } catch (error) {
      expect((error as Error).message, about).toMatch(/cannot be changed safely:\n- /)
      expect([await takeSnapshot(name, db), await schemaObjects(name, db)], about).toEqual(all)
      return
    }
    const findings = await checkTables(db, to.model)
    // To SQLite, a date, a moment and a text are of one type: then only the rows say that they do not fit, as they do at the start.
    const errors = findings.filter(({ severity, kind }) => severity === 'error' && kind !== 'value')
    expect(errors, about).toEqual([])
    const renamed = renames(to)
    const now = await rowsOf(database())
    for (const [table, list] of Object.entries(rows)) {
      const kept = now[table] ?? []
      expect(kept.length, about).toBe(list.length)
      for (const [position, row] of list.entries()) {
        for (const [column, value] of Object.entries(row)) {
          const current = kept[position] as Record<string, unknown>
          const where = column in current ? column : renamed.get(`${table}.${column}`)
          expect(where, `${about}\n${table}.${column} is gone`).toBeDefined()
          // What was null may have the default now.
          if (value !== null) expect(current[where ?? ''], `${about}\n${table}.${column}`).toEqual(value)
        }
      }
    }
    await fill(to, choices, about)
  }
})

function renames({ model }: RandomModel): ReadonlyMap<string, string> {
  return new Map(
    [...model.resources.values()].flatMap(({ table, fields }) =>
      fields.flatMap(({ column, was }) => (was === undefined ? [] : [[`${table}.${was}`, column] as const])),
    ),
  )
}

async function rowsOf({ name, db }: OpenDatabase): Promise<Rows> {
  const all: Record<string, readonly Record<string, unknown>[]> = {}
  for (const table of await tableNames(name, db)) {
    const { rows } = await sql<Record<string, unknown>>`select * from ${sql.table(table)} order by 1`.execute(db)
    all[table] = rows
  }
  return all
}
