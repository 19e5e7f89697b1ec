import { createStore, dbDefault, defineResources, type Model, needs, ownedBy, owns } from '@fastify-crud/core'
import { checkTables, createTables } from '@fastify-crud/tables'
import { Type } from '@sinclair/typebox'
import { sql } from 'kysely'
import { describe, expect, onTestFinished, test } from 'vitest'
import { databases, type OpenDatabase, type TestDatabase } from '../../../test/support/databases.ts'

const fields = { name: Type.String() }
const key = Type.String({ maxLength: 20 })

const model = defineResources({
  shop: {
    id: 'uuid',
    fields,
    relations: { goods: owns.many('good'), page: owns.one('page'), sales: owns.many('sale') },
  },
  product: { id: 'text', fields },
  good: {
    id: ['product', 'shop'],
    fields: { quantity: Type.Integer() },
    relations: { shop: ownedBy('shop'), product: needs.one('product') },
  },
  page: { id: ['shop'], fields, relations: { shop: ownedBy('shop'), parts: owns.many('part') } },
  part: { fields, relations: { page: ownedBy('page') } },
  sale: {
    id: ['shop', 'day', 'at', 'code'],
    fields: { day: Type.String({ format: 'date' }), at: Type.String({ format: 'date-time' }), code: key },
    relations: { shop: ownedBy('shop') },
  },
  country: { id: ['code'], fields: { code: key, ...fields } },
}) as Model

async function opened(database: TestDatabase): Promise<OpenDatabase> {
  const open = await database.open()
  onTestFinished(() => open.close())
  return open
}

describe.each(databases)('tables with ids that members make up ($name)', (database) => {
  test('that createTables made have nothing that checkTables finds', async () => {
    const { db } = await opened(database)
    await createTables(db, model)
    expect(await checkTables(db, model)).toEqual([])
    await createTables(db, model)
  })

  test('have one index for the key and the list below the owner, where the key begins with the owner', async () => {
    const { db } = await opened(database)
    await createTables(db, model)
    const { rows } = await (database.name === 'postgres'
      ? sql<{ name: string }>`select indexname as name from pg_indexes where tablename in ('page', 'sale', 'country')`
      : sql<{
          name: string
        }>`select name from sqlite_master where type = 'index' and tbl_name in ('page', 'sale', 'country')`
    ).execute(db)
    expect(rows).toHaveLength(3)
  })
})

const [sqlite] = databases as [TestDatabase, TestDatabase]

/** Tables by hand: a team and its members. */
async function found(database: TestDatabase, columns: string): Promise<readonly string[]> {
  const { db } = await opened(database)
  await sql`create table team (id integer primary key, name text not null)`.execute(db)
  await sql`create table member (${sql.raw(columns)})`.execute(db)
  const teams = defineResources({
    team: { id: { kind: 'integer', assign: 'client' }, fields, relations: { members: owns.many('member') } },
    member: { id: ['team', 'code'], fields: { code: key }, relations: { team: ownedBy('team') } },
  }) as Model
  const problems = await checkTables(db, teams)
  return problems.map(({ severity, message }) => `${severity}: ${message}`)
}

const TEAM = '"teamId" integer not null references team on delete cascade'

describe('checkTables about ids that members make up', () => {
  test.each(databases)('accepts the primary key in any order of its columns ($name)', async (database) => {
    expect(await found(database, `${TEAM}, code varchar(20) not null, primary key ("teamId", code)`)).toEqual([])
    const turned = await found(database, `${TEAM}, code varchar(20) not null, primary key (code, "teamId")`)
    expect(turned.filter((problem) => problem.startsWith('error'))).toEqual([])
  })

  test.each(databases)('finds a table without this key ($name)', async (database) => {
    for (const wrong of [
      `${TEAM}, code varchar(20) not null`,
      `${TEAM}, code varchar(20) not null primary key`,
      `${TEAM}, code varchar(20) not null, name text default 'x' not null, primary key ("teamId", code, name)`,
    ]) {
      const problems = await found(database, wrong)
      expect(problems.filter((problem) => problem.startsWith('error'))).not.toEqual([])
    }
  })

  test('finds columns of the key that take null on SQLite', async () => {
    const problems = await found(
      sqlite,
      `"teamId" integer references team on delete cascade, code text, primary key ("teamId", code)`,
    )
    expect(problems).toEqual(
      ['code', 'teamId'].map(
        (column) =>
          `warning: member.${column} is not NOT NULL: SQLite then takes rows without an id, which no request can reach`,
      ),
    )
  })

  test('finds a collation that takes different ids for the same', async () => {
    expect(await found(sqlite, `${TEAM}, code text collate nocase not null, primary key ("teamId", code)`)).toEqual([
      'error: member.code has the collation nocase, which takes different ids for the same: use one that compares exactly',
    ])
  })
})

describe.each(databases)('a part of an id that the database gives ($name)', (database) => {
  test('is given as the row is inserted, and an element without it is new', async () => {
    const { db } = await opened(database)
    const isPostgres = database.name === 'postgres'
    await sql`create table team (id ${sql.raw(isPostgres ? 'bigint generated by default as identity' : 'integer')} primary key, name text not null)`.execute(
      db,
    )
    await (isPostgres
      ? sql`create table task ("teamId" bigint not null references team on delete cascade, number serial not null, name text not null, primary key ("teamId", number))`
      : sql`create table task ("teamId" integer not null references team on delete cascade, number integer not null default (abs(random() % 1000000000)), name text not null, primary key ("teamId", number))`
    ).execute(db)
    const resources = defineResources({
      team: { fields, relations: { tasks: owns.many('task') } },
      task: {
        id: ['team', 'number'],
        fields: { number: Type.Integer({ default: dbDefault }), ...fields },
        relations: { team: ownedBy('team') },
      },
    }) as Model
    const store = createStore({ db, resources })
    const teams = store.resource('team')
    const made = (await teams.create({ name: 't', tasks: [{ name: 'a' }, { name: 'b' }] } as never)) as unknown as Made
    expect(made.tasks.map(({ name }) => name).sort()).toEqual(['a', 'b'])
    for (const task of made.tasks) expect(task.id).toBe(task.number)
    const [kept] = made.tasks
    const tasks = [{ ...kept, name: 'kept' }, { name: 'new' }]
    const put = (await teams.replace(made.id, { name: 't', tasks } as never)) as unknown as Made
    expect(put.tasks.map(({ name }) => name).sort()).toEqual(['kept', 'new'])
    expect(put.tasks.map(({ id }) => id)).toContain(kept?.id)
    const below = teams.owned(made.id, 'tasks')
    const alone = (await below.create({ name: 'alone' } as never)) as unknown as Task
    expect(await below.find(alone.id as never)).toEqual(alone)
    const chosen = (await below.create({ name: 'chosen', number: -5 } as never)) as unknown as Task
    expect(chosen).toEqual({ id: -5, number: -5, name: 'chosen' })
  })
})

interface Task {
  readonly id: number
  readonly number: number
  readonly name: string
}

interface Made {
  readonly id: number
  readonly tasks: readonly Task[]
}
