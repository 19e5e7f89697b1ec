import { createStore, defineEngine, defineResources, type PostgresEngine } from '@fastify-crud/core'
import { openPostgres } from '@fastify-crud/core/postgres'
import { Type } from '@sinclair/typebox'
import {
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely'
import { describe, expect, test } from 'vitest'
import type { TestKysely } from '../../../../test/support/tables.ts'

const resources = defineResources({ note: { fields: { text: Type.String() } } })

const postgres = (): TestKysely =>
  new Kysely({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (db) => new PostgresIntrospector(db),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
  })

const sqlite = (): TestKysely =>
  new Kysely({
    dialect: {
      createAdapter: () => new SqliteAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (db) => new SqliteIntrospector(db),
      createQueryCompiler: () => new SqliteQueryCompiler(),
    },
  })

describe('defineEngine', () => {
  test.each<[string, object, string]>([
    ['a fact that is none', { savepoint: false }, "engine: there is no fact 'savepoint'; did you mean 'savepoints'?"],
    [
      'an isolation that is none',
      { isolation: 'snapshot' },
      "engine.isolation: must be 'read committed' or 'serializable'",
    ],
    [
      'a lock that is none',
      { rowLocks: false },
      "engine.rowLocks: must be 'for no key update' or 'for update' or 'none'",
    ],
    ['a fact that is neither true nor false', { setConfig: 'no' }, 'engine.setConfig: must be true or false'],
    ['a begin that is no statement', { begin: true }, 'engine.begin: must be a statement'],
    ['no locks without serializable transactions', { rowLocks: 'none' }, "needs isolation: 'serializable'"],
  ])('refuses %s', (_, engine, message) => {
    expect(() => defineEngine(postgres(), engine as Partial<PostgresEngine>)).toThrow(message)
  })

  test('refuses SQLite, and an instance that a store uses already', () => {
    expect(() => defineEngine(sqlite(), {})).toThrow('engine: SQLite has no other engines')
    const db = postgres()
    createStore({ db, resources })
    expect(() => defineEngine(db, { savepoints: false })).toThrow('the Kysely instance is in use already')
  })

  test('refuses what is no Kysely instance', () => {
    expect(() => defineEngine({} as never, {})).toThrow('db: must be a Kysely instance')
  })

  test('holds for copies of the instance, and for no other one', () => {
    const db = postgres()
    defineEngine(db, { savepoints: false })
    expect(() => defineEngine(db.withSchema('shop'), {})).toThrow('in use already')
    expect(() => defineEngine(postgres(), {})).not.toThrow()
  })

  test('is what openPostgres does with its option', async () => {
    const open = () => openPostgres('postgres://localhost/none', { engine: { rowLocks: 'none' } })
    expect(open).toThrow("needs isolation: 'serializable'")
    const db = openPostgres('postgres://localhost/none', { engine: { savepoints: false } })
    expect(() => defineEngine(db, {})).toThrow('in use already')
    await db.destroy()
  })
})
