import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Model } from '@fastify-crud/core'
import { checkTables, createTables, type GeneratedMigrations, generateMigrations } from '@fastify-crud/tables'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { OpenDatabase } from '../../../../test/support/databases.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import { isLong } from '../../../../test/support/is-long.ts'
import { seed } from '../../../../test/support/seed.ts'
import { type Choices, choicesFrom, type RandomModel, randomModel } from '../push/random-models.ts'
import { expectKept, fillTables, rowsOf } from '../push/random-rows.ts'
import { Migrations } from './migrations.ts'

/** On PostgreSQL, tables take their time. */
const RUNS = isLong ? 200 : 15
const RUNS_ON_POSTGRES = isLong ? 80 : 4

describeOnBoth('Migrations between random models', (setup) => {
  let parent: string
  beforeAll(async () => {
    parent = await mkdtemp(join(import.meta.dirname, '.printed-'))
  })
  afterAll(() => rm(parent, { recursive: true }))

  const runs = setup.name === 'postgres' ? RUNS_ON_POSTGRES : RUNS

  test(`keep all rows, up and down, and leave nothing to do, for ${runs} pairs`, { timeout: 900_000 }, async () => {
    // The message of a failure has the seed. To repeat it, give it as FC_SEED.
    for (let drawn = seed; drawn < seed + runs; drawn += 1) {
      const open = await setup.open({ kept: true })
      const choices = choicesFrom(drawn)
      const before = randomModel(choices)
      const after = randomModel(choices)
      const about = `FC_SEED=${drawn}\n${before.shown}\n${after.shown}`
      try {
        await createTables(open.db, before.model)
        await fillTables(open.db, before, choices, about)
        await migrate(open, before, after, choices, about)
      } finally {
        await open.close()
      }
    }
  })

  async function migrate(
    open: OpenDatabase,
    before: RandomModel,
    after: RandomModel,
    choices: Choices,
    about: string,
  ): Promise<void> {
    const { db } = open
    const rows = await rowsOf(open)
    const generated = await withFills(open, after, choices)
    if (generated === undefined) return
    expect(generated.unfilled, about).toEqual([])
    expect(await rowsOf(open), about).toEqual(rows)
    const migrations = await Migrations.in(open, parent)
    await migrations.add(generated.files)
    const said = `${about}\n${generated.files.map(({ statements }) => statements.join(';\n')).join('\n\n')}`
    const { error } = await migrations.tryUp()
    if (error !== undefined) {
      // Rows may break a new key.
      expect(String((error as Error).message), said).toMatch(/unique/i)
      return
    }
    await isThere(after.model, generated.byHand)
    expectKept(rows, await rowsOf(open), after.model, said)
    await migrations.down()
    expect(await errorsOf(before.model), `down\n${said}`).toEqual([])
    expectKept(rows, await rowsOf(open), before.model, `down\n${said}`)
    await migrations.up()
    await isThere(after.model, generated.byHand)
    expectKept(rows, await rowsOf(open), after.model, `again\n${said}`)
    if (generated.byHand.length === 0) await fillTables(db, after, choices, said)

    async function isThere(model: Model, byHand: readonly string[]): Promise<void> {
      expect(await generateMigrations(db, model), said).toMatchObject({ files: [], unfilled: [] })
      if (byHand.length === 0) expect(await errorsOf(model), said).toEqual([])
    }

    /** To SQLite, a date, a moment and a text are of one type: then only the rows say that they do not fit. */
    async function errorsOf(model: Model): Promise<readonly string[]> {
      const findings = await checkTables(db, model)
      const errors = findings.filter(({ severity, kind }) => severity === 'error' && kind !== 'value')
      return errors.map(({ message }) => message)
    }
  }

  /** With a value for each field that needs one; undefined where there is none, as of a relation to a table without rows. */
  async function withFills(
    { db }: OpenDatabase,
    { model, values }: RandomModel,
    choices: Choices,
  ): Promise<GeneratedMigrations | undefined> {
    const { unfilled } = await generateMigrations(db, model)
    const fill: Record<string, unknown> = {}
    for (const { field } of unfilled) {
      const [resource, name] = field.split('.') as [string, string]
      const possible = values[resource]?.[name] ?? (await authors(db))
      if (possible.length === 0) return undefined
      fill[field] = choices.among(possible)
    }
    return generateMigrations(db, model, { fill })
  }

  async function authors(db: OpenDatabase['db']): Promise<readonly unknown[]> {
    const { rows } = await sql<{ id: unknown }>`select id from author`.execute(db)
    return rows.map(({ id }) => Number(id))
  }
})
