import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createStore, defineResources, keepStatements, ownedBy, owns } from '@fastify-crud/core'
import { createTables } from '@fastify-crud/tables'
import { Type } from '@sinclair/typebox'
import SqliteDriver from 'better-sqlite3'
import { Kysely, SqliteDialect } from 'kysely'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { driverOver } from '../../../../test/support/driver-over.ts'

type Tables = Record<string, Record<string, unknown>>

const resources = defineResources({
  person: { fields: { name: Type.String() }, relations: { pets: owns.many('pet') } },
  pet: { fields: { name: Type.String() }, relations: { owner: ownedBy('person') } },
})

describe('a write on SQLite with `direct`', () => {
  let folder: string
  let file: string
  let database: SqliteDriver.Database
  let elsewhere: SqliteDriver.Database
  let db: Kysely<Tables>
  let beforeWriting: () => void
  /** The statements that began a transaction. */
  let begun: string[]
  /** The first words of those that wrote, until it ended. */
  let written: string[]

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'fastify-crud-'))
    file = join(folder, 'app.sqlite')
    database = new SqliteDriver(file, { timeout: 0 })
    database.pragma('journal_mode = WAL')
    beforeWriting = () => {}
    begun = []
    written = []
    db = opened({})
    await createTables(db, resources)
    elsewhere = new SqliteDriver(file, { timeout: 0 })
  })

  /** Has its statements noted, and methods or properties of them as they are given here. */
  function opened(others: object): Kysely<Tables> {
    const driver = driverOver(database, (statement) => ({
      ...others,
      run(given: readonly unknown[]) {
        if (statement.source.startsWith('begin')) begun.push(statement.source)
        const [writes] = /^(?:insert into|update|delete from) "\w+"/.exec(statement.source) ?? []
        if (writes !== undefined) beforeWriting()
        if (writes !== undefined || statement.source === 'rollback') written.push(writes ?? statement.source)
        return statement.run(given)
      },
    }))
    return new Kysely({ dialect: new SqliteDialect({ database: keepStatements(driver, { direct: true }) }) })
  }
  afterEach(async () => {
    elsewhere.close()
    await db.destroy()
    await rm(folder, { recursive: true })
  })

  /** What is committed, as another connection sees it. */
  const namesIn = (table: string) => elsewhere.prepare(`select name from "${table}" order by id`).pluck().all()

  /** A person with that name and one pet, when the first request has found out how to ask the database. */
  async function personNamed(name: string, on = db) {
    const people = createStore({ db: on, resources }).resource('person')
    const { id } = await people.create({ name, pets: [{ name }] })
    return { people, id }
  }

  test('is committed before a timer or a request has its turn, as nothing in it takes time', async () => {
    const { people, id } = await personNamed('a')
    const writes = [
      people.create({ name: 'b', pets: [{ name: 'c' }, { name: 'd' }] }),
      people.patch(id, { name: 'e', pets: [{ name: 'f' }] }),
      people.replace(id, { name: 'g' }),
      people.owned(id, 'pets').create({ name: 'h' }),
    ]
    await new Promise((resolve) => setImmediate(resolve))
    expect(namesIn('person')).toEqual(['g', 'b'])
    expect(namesIn('pet')).toEqual(['c', 'd', 'h'])
    expect(await Promise.all(writes)).toMatchObject([
      { name: 'b', pets: [{ name: 'c' }, { name: 'd' }] },
      { id, name: 'e', pets: [{ name: 'a' }, { name: 'f' }] },
      { id, name: 'g', pets: [] },
      { name: 'h' },
    ])
  })

  test('that is started with others has the connection for itself until it is done', async () => {
    const { people, id } = await personNamed('a')
    const names = Array.from({ length: 20 }, (_, index) => `n${index}`)
    await Promise.all(names.map((name) => people.patch(id, { name, pets: [{ name }] })))
    expect((await people.find(id)).pets.map(({ name }) => name)).toEqual(['a', ...names])
    expect(namesIn('person')).toEqual(['n19'])
  })

  test('leaves nothing open when it is refused, by us or by the database', async () => {
    const { people, id } = await personNamed('a')
    database.exec('create unique index only_one on person (name)')
    const refused = [
      people.create({ name: 'a' }),
      people.patch(id + 1, { name: 'b' }),
      people.replace(id, { name: 'b', pets: [{ id: 99, name: 'b' }] }),
      people.delete(id + 1),
    ]
    const codes = ['CRUD_ERR_NOT_UNIQUE', 'CRUD_ERR_NOT_FOUND', 'CRUD_ERR_UNKNOWN_REFERENCE', 'CRUD_ERR_NOT_FOUND']
    expect(await Promise.allSettled(refused)).toMatchObject(
      codes.map((code) => ({ status: 'rejected', reason: { code } })),
    )
    expect(database.inTransaction).toBe(false)
    await people.create({ name: 'b' })
    expect(namesIn('person')).toEqual(['a', 'b'])
  })

  test('is not part of a transaction of the application, which may roll back', async () => {
    const { people, id } = await personNamed('a')
    let written: Promise<unknown> | undefined
    const transaction = db.transaction().execute(async (trx) => {
      await trx.insertInto('person').values({ name: 'rolled back' }).execute()
      written = people.patch(id, { name: 'b' })
      await new Promise((resolve) => setTimeout(resolve, 20))
      throw new Error('rolled back')
    })
    await expect(transaction).rejects.toThrow('rolled back')
    expect(await written).toMatchObject({ id, name: 'b' })
    expect(namesIn('person')).toEqual(['b'])
  })

  test('waits for one that looked at the record while it had to wait', async () => {
    const { people, id } = await personNamed('a')
    // Whatever the moment at which the second one comes.
    for (let moment = 0; moment < 60; moment++) {
      let first: Promise<unknown> | undefined
      await db.transaction().execute(async (trx) => {
        await trx.selectFrom('person').select('id').execute()
        first = people.replace(id, { name: `first ${moment}`, pets: [{ name: `first ${moment}` }] })
      })
      for (let step = 0; step < moment; step++) await null
      const second = people.replace(id, { name: `second ${moment}`, pets: [{ name: `second ${moment}` }] })
      await Promise.all([first, second])
      const { name, pets } = await people.find(id)
      expect(pets.map((pet) => pet.name)).toEqual([name])
    }
  })

  test.each(['wal', 'delete'])(
    'is tried again while another process writes, without holding up anybody: %s',
    async (mode) => {
      database.pragma(`journal_mode = ${mode}`)
      const { people, id } = await personNamed('a')
      elsewhere.exec(`begin immediate; insert into pet ("ownerId", name) values (${id}, 'foreign')`)
      const patched = people.patch(id, { name: 'b' })
      const replaced = people.replace(id, { name: 'b', pets: [{ name: 'c' }] })
      expect(await people.find(id)).toMatchObject({ name: 'a' })
      await new Promise((resolve) => setTimeout(resolve, 20))
      elsewhere.exec('commit')
      expect(await patched).toMatchObject({ name: 'b' })
      expect(await replaced).toMatchObject({ name: 'b', pets: [{ name: 'c' }] })
      expect(namesIn('pet')).toEqual(['c'])
    },
  )

  test.each([
    ['at its first read', 'begin exclusive'],
    ['at its commit', 'begin; select * from person'],
  ])('is tried again as a writer where SQLite has waited %s', async (_, statements) => {
    database.pragma('journal_mode = delete')
    const { people, id } = await personNamed('a')
    begun = []
    const [begin = '', ...rest] = statements.split('; ')
    elsewhere.exec(begin)
    for (const statement of rest) elsewhere.prepare(statement).all()
    const replaced = people.replace(id, { name: 'b' })
    const patched = people.patch(id, { name: 'c' })
    await new Promise((resolve) => setTimeout(resolve, 20))
    elsewhere.exec('commit')
    await Promise.all([replaced, patched])
    expect(begun.length).toBeGreaterThan(3)
    expect(begun.slice(0, 2)).toEqual(['begin', 'begin'])
    expect(new Set(begun.slice(2))).toEqual(new Set(['begin immediate']))
  })

  test('begins as a writer on a driver whose statements may not be over when they have failed', async () => {
    const { people, id } = await personNamed('a', opened({ busy: undefined }))
    begun = []
    await people.replace(id, { name: 'b' })
    await people.patch(id, { name: 'c' })
    await people.patch(id, { name: 'c' })
    expect(begun).toEqual(['begin immediate', 'begin immediate'])
    expect(namesIn('person')).toEqual(['c'])
  })

  test('looks again if another process wrote after the look', async () => {
    const { people, id } = await personNamed('a')
    let isToBeDisturbed = true
    beforeWriting = () => {
      if (isToBeDisturbed) elsewhere.exec(`insert into pet ("ownerId", name) values (${id}, 'foreign')`)
      isToBeDisturbed = false
    }
    await people.replace(id, { name: 'c', pets: [{ name: 'd' }] })
    expect(isToBeDisturbed).toBe(false)
    expect(namesIn('pet')).toEqual(['d'])
  })

  test('updates rows in one statement, as each may be right only when all are', async () => {
    // Pets of one person name each other by a foreign key that the model does not know.
    database.exec('drop table pet')
    database.exec(`create table pet (
      id integer primary key, name text not null unique, friend text references pet (name),
      "ownerId" integer not null references person (id)
    )`)
    const model = defineResources({
      person: { fields: { name: Type.String() }, relations: { pets: owns.many('pet') } },
      pet: {
        fields: { name: Type.String(), friend: Type.String() },
        relations: { owner: ownedBy('person') },
      },
    })
    const people = createStore({ db, resources: model }).resource('person')
    const { id, pets } = await people.create({ name: 'a', pets: ['b', 'c'].map((name) => ({ name, friend: name })) })
    written = []
    const renamed = pets.map((pet, index) => ({ id: pet.id, name: `${pet.name}!`, friend: index === 0 ? 'c!' : 'b!' }))
    const replaced = await people.replace(id, { name: 'a', pets: renamed })
    expect(replaced.pets).toEqual(renamed)
    expect(written).toEqual(['update "pet"'])
  })
})
