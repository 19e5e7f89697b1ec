import { createStore, type Model } from '@fastify-crud/core'
import { sql } from 'kysely'
import { expect } from 'vitest'
import type { OpenDatabase } from '../../../../test/support/databases.ts'
import { type TestKysely, tableNames } from '../../../../test/support/tables.ts'
import type { Choices, RandomModel } from './random-models.ts'

/** The rows of each table, by the names of columns. */
export type Rows = Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>>

/** Creates some records of a random model. */
export async function fillTables(
  db: TestKysely,
  { model, values }: RandomModel,
  choices: Choices,
  about: string,
): Promise<void> {
  const store = createStore({ db, resources: model })
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

/** Every row is there with every value, under the old or the new name of its column. */
export function expectKept(rows: Rows, now: Rows, model: Model, about: string): void {
  const renamed = renames(model)
  for (const [table, list] of Object.entries(rows)) {
    const kept = now[table] ?? []
    expect(kept.length, about).toBe(list.length)
    for (const [position, row] of list.entries()) {
      for (const [column, value] of Object.entries(row)) {
        const current = kept[position] as Record<string, unknown>
        const others = renamed.get(`${table}.${column}`) ?? []
        const where = column in current ? column : others.find((name) => !(name in row))
        expect(where, `${about}\n${table}.${column} is gone`).toBeDefined()
        // What was null may have the default now.
        if (value !== null) expectSame(current[where ?? ''], value, `${about}\n${table}.${column}`)
      }
    }
  }
}

/** A wider type may spell a value otherwise. */
function expectSame(now: unknown, value: unknown, about: string): void {
  if (typeof now === typeof value) expect(now, about).toEqual(value)
  else if (typeof now === 'number') expect(now, about).toBe(Number(value))
  else if (value instanceof Date) expect(String(now), about).toMatch(/^\d{4}-\d\d-\d\d$/)
  else expect(String(now), about).toBe(String(value))
}

/** The fields that say which column they were. The first that is new gets it. */
function renames(model: Model): ReadonlyMap<string, readonly string[]> {
  const all = [...model.resources.values()].flatMap(({ table, fields }) =>
    fields.flatMap(({ column, was }) => (was === undefined ? [] : [{ from: `${table}.${was}`, column }])),
  )
  const byName = Map.groupBy(all, ({ from }) => from)
  return new Map([...byName].map(([from, list]) => [from, list.map(({ column }) => column)]))
}

export async function rowsOf({ name, db }: OpenDatabase): Promise<Rows> {
  const all: Record<string, readonly Record<string, unknown>[]> = {}
  for (const table of await tableNames(name, db)) {
    const { rows } = await sql<Record<string, unknown>>`select * from ${sql.table(table)} order by 1`.execute(db)
    all[table] = rows
  }
  return all
}
