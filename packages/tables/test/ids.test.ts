import { defineResources, type IdDeclaration, knows, type Model, ownedBy, owns } from '@fastify-crud/core'
import { checkTables, createTables } from '@fastify-crud/tables'
import { Type } from '@sinclair/typebox'
import { sql } from 'kysely'
import { describe, expect, onTestFinished, test } from 'vitest'
import { databases, type OpenDatabase, type TestDatabase } from '../../../test/support/databases.ts'

const fields = { name: Type.String() }

/** A resource that owns another and has links. */
function modelOf(id: IdDeclaration): Model {
  return defineResources({
    shelf: { id, fields, relations: { boxes: owns.many('box'), near: knows.many('shelf', { to: 'nearId' }) } },
    box: { id, fields, relations: { shelf: ownedBy('shelf') } },
  }) as Model
}

const declarations: readonly IdDeclaration[] = [
  'integer',
  'bigint',
  'uuid',
  'text',
  { kind: 'integer', assign: 'client' },
  { kind: 'bigint', assign: 'client' },
  { kind: 'uuid', assign: 'database' },
  { kind: 'uuid', assign: 'database', stored: 'lower' },
  { kind: 'uuid', assign: 'database', stored: 'upper' },
  { kind: 'uuid', assign: 'database', stored: 'hex' },
  { kind: 'uuid', stored: 'hex' },
  { kind: 'text', maxLength: 20 },
]

async function opened(database: TestDatabase): Promise<OpenDatabase> {
  const open = await database.open()
  onTestFinished(() => open.close())
  return open
}

describe.each(databases)('tables with ids of each kind ($name)', (database) => {
  test.each(declarations)('that createTables made have nothing that checkTables finds: %j', async (id) => {
    const { db } = await opened(database)
    const model = modelOf(id)
    await createTables(db, model)
    expect(await checkTables(db, model)).toEqual([])
  })
})

const [sqlite, postgres] = databases as [TestDatabase, TestDatabase]

/** What checkTables finds about the ids of one table that was made by hand. */
async function found(database: TestDatabase, id: IdDeclaration, column: string): Promise<readonly string[]> {
  const { db } = await opened(database)
  await sql`create table thing (${sql.raw(column)}, name text not null)`.execute(db)
  const problems = await checkTables(db, defineResources({ thing: { id, fields } }) as Model)
  return problems.map(({ severity, message }) => `${severity}: ${message}`)
}

describe('checkTables about ids on PostgreSQL', () => {
  test.each([
    ['uuid', 'id uuid primary key'],
    ['uuid', 'id uuid primary key default gen_random_uuid()'],
    [{ kind: 'uuid', assign: 'database' }, 'id uuid primary key default gen_random_uuid()'],
    [{ kind: 'uuid', stored: 'lower' }, 'id char(36) primary key'],
    [{ kind: 'uuid', stored: 'hex' }, 'id varchar(32) primary key'],
    ['text', 'id varchar(100) primary key'],
    ['text', 'id text primary key'],
    ['bigint', 'id bigserial primary key'],
    [{ kind: 'integer', assign: 'client' }, 'id smallint primary key'],
  ] as const)('accepts the columns that fit: %j, %s', async (id, column) => {
    expect(await found(postgres, id, column)).toEqual([])
  })

  test('finds a column of another type, and says how the descriptor can fit it', async () => {
    expect(await found(postgres, 'uuid', 'id text primary key')).toEqual([
      "error: column thing.id is of type text: it should be uuid, or declare { kind: 'uuid', stored: 'lower' }",
    ])
    expect(await found(postgres, { kind: 'integer', assign: 'client' }, 'id uuid primary key')).toEqual([
      "error: column thing.id is of type uuid: it should be bigint, or declare id: 'uuid'",
    ])
    expect(await found(postgres, { kind: 'bigint', assign: 'client' }, 'id int primary key')).toEqual([
      'error: column thing.id is of type int4: it should be bigint',
    ])
  })

  test('finds that the database assigns none', async () => {
    expect(await found(postgres, { kind: 'uuid', assign: 'database' }, 'id uuid primary key')).toEqual([
      'error: thing.id has no default, but the model says that the database assigns ids: ALTER TABLE "thing" ALTER COLUMN "id" SET DEFAULT gen_random_uuid()',
    ])
    expect(await found(postgres, 'bigint', 'id bigint primary key')).toHaveLength(1)
  })

  test('finds a column that is too narrow for new ids', async () => {
    expect(await found(postgres, 'text', 'id varchar(20) primary key')).toEqual([
      'warning: column thing.id accepts ids of at most 20 characters, but the model allows 100',
    ])
    expect(await found(postgres, { kind: 'text', maxLength: 20 }, 'id varchar(20) primary key')).toEqual([])
  })

  test('finds a column that takes different ids for the same', async () => {
    const { db } = await opened(postgres)
    await sql`create collation folding (provider = icu, locale = 'und-u-ks-level2', deterministic = false)`.execute(db)
    await sql`create table thing (id text collate folding primary key, name text not null)`.execute(db)
    expect(await checkTables(db, defineResources({ thing: { id: 'text', fields } }))).toMatchObject([
      {
        severity: 'error',
        message:
          'thing.id has the collation folding, which takes different ids for the same: use one that compares exactly',
      },
    ])
  })
})

describe('checkTables about ids on SQLite', () => {
  test.each([
    ['uuid', 'id text not null primary key'],
    ['text', 'id varchar(100) not null primary key'],
    ['bigint', 'id integer primary key autoincrement'],
    [{ kind: 'integer', assign: 'client' }, 'id integer primary key'],
  ] as const)('accepts the columns that fit: %j, %s', async (id, column) => {
    expect(await found(sqlite, id, column)).toEqual([])
  })

  test('finds a column of another type', async () => {
    const [problem] = await found(sqlite, 'uuid', 'id integer primary key')
    expect(problem).toMatch(
      /^error: column thing.id is of type (?:integer|INTEGER), which does not keep every value as it is/,
    )
  })

  test('finds a key that takes null', async () => {
    expect(await found(sqlite, 'text', 'id text primary key')).toEqual([
      'warning: thing.id is not NOT NULL: SQLite then takes rows without an id, which no request can reach',
    ])
  })

  test('finds a column that takes different ids for the same', async () => {
    expect(await found(sqlite, 'text', 'id text not null collate nocase primary key')).toEqual([
      'error: thing.id has the collation nocase, which takes different ids for the same: use one that compares exactly',
    ])
  })
})

describe.each(databases)('checkTables ($name): ids that begin with $', (database) => {
  test('are told, as paths that begin so belong to the library', async () => {
    const open = await database.open()
    onTestFinished(() => open.close())
    const model = defineResources({
      shelf: { id: 'text', fields },
      box: { id: 'text', table: 'boxes', fields },
      lid: { id: { kind: 'text', assign: () => 'a' }, fields },
    })
    await createTables(open.db, model)
    for (const id of ['$list', '$x', 'a', '#1'])
      await sql`insert into shelf (id, name) values (${id}, 'x')`.execute(open.db)
    await sql`insert into boxes (id, name) values ('b', 'x')`.execute(open.db)
    const problems = await checkTables(open.db, model)
    expect(problems).toMatchObject([{ kind: 'id', severity: 'warning', table: 'shelf', column: 'id' }])
    expect(problems[0]?.message).toContain("ids that begin with '$', such as '$list'")
  })
})

describe('checkTables (postgres): ids that begin with $', () => {
  test.each([
    [
      'that leaves punctuation and currencies out of account',
      "provider = icu, locale = 'und-u-ka-shifted-kv-currency'",
    ],
    ['in which letters come first', "provider = icu, locale = 'und-u-kr-latn-currency'"],
    ['of characters', "locale = 'C'"],
  ])('are told whatever the order of the column: one %s', async (_, collation) => {
    const open = await postgres.open()
    onTestFinished(() => open.close())
    const model = defineResources({
      shelf: { id: 'text', fields },
      box: { id: 'text', table: 'boxes', fields },
      lid: {
        id: ['code'],
        fields: { ...fields, code: Type.String() },
        relations: { nails: owns.many('nail'), pegs: owns.many('peg') },
      },
      nail: {
        id: ['lid', 'size'],
        fields: { size: Type.String() },
        relations: { lid: ownedBy('lid') },
      },
      peg: {
        id: ['lid', 'size', 'on'],
        fields: { size: Type.String(), on: Type.String({ format: 'date' }) },
        relations: { lid: ownedBy('lid') },
      },
    })
    const run = (statement: string) => sql.raw(statement).execute(open.db)
    await run(`create collation odd (${collation})`)
    for (const table of ['shelf', 'boxes'])
      await run(`create table ${table} (id text collate odd primary key, name text not null)`)
    await run('create table lid (code text collate odd primary key, name text not null)')
    const ofLid = '"lidId" text collate odd references lid (code) on delete cascade, size text collate odd'
    await run(`create table nail (${ofLid}, primary key ("lidId", size))`)
    await run(`create table peg (${ofLid}, "on" date, primary key ("lidId", size, "on"))`)
    await run("insert into shelf values ('0', 'x'), ('a', 'x'), ('$zz', 'x'), ('z', 'x'), ('%', 'x')")
    await run("insert into boxes values ('0', 'x'), ('a$', 'x'), ('#1', 'x'), ('%', 'x'), ('＄', 'x')")
    await run("insert into lid values ('$list', 'x'), ('a', 'x')")
    await run("insert into nail values ('a', '$group'), ('a', '9')")
    await run("insert into peg values ('$list', '$group', '2026-01-01')")
    const told = (await checkTables(open.db, model)).filter(({ message }) => message.includes("'$'"))
    expect(told.map(({ table, message }) => [table, /such as '(.*?)'/.exec(message)?.[1]])).toEqual([
      ['lid', '$list'],
      ['nail', '$group'],
      ['shelf', '$zz'],
    ])
  })
})
