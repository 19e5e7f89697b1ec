import { defineResources } from '@fastify-crud/core'
import { type TSchema, Type } from '@sinclair/typebox'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { databases, type OpenDatabase, type TestDatabase } from '../../../test/support/databases.ts'
import { checkHandMade } from './hand-made.ts'

const [sqlite, postgres] = databases as [TestDatabase, TestDatabase]

const text = Type.String()
const code = Type.String({ maxLength: 8 })
const date = Type.String({ format: 'date' })
const moment = Type.String({ format: 'date-time' })
const uuid = Type.String({ format: 'uuid' })
const decimal = Type.String({ pattern: '^\\d+\\.\\d\\d$' })
const choice = Type.Union([Type.Literal('red'), Type.Literal('green')])
const integer = Type.Integer()
const number = Type.Number()
const cents = Type.Number({ multipleOf: 0.01 })
const boolean = Type.Boolean()
const json = Type.Array(Type.String())

/** A schema, the column types that keep its values, those that keep some of them, and those that do not. */
type Row = readonly [
  name: string,
  schema: TSchema,
  fits: readonly string[],
  warns: readonly string[],
  errs: readonly string[],
]

const onSqlite: readonly Row[] = [
  [
    'a string',
    text,
    ['text', 'varchar(5)', 'clob', 'nchar(9)', 'blob', ''],
    [],
    ['string', 'integer', 'real', 'numeric', 'datetime'],
  ],
  ['a date-time', moment, ['text', 'datetime', 'timestamp'], [], ['integer', 'real']],
  ['a uuid', uuid, ['text', 'uuid'], [], ['integer']],
  ['a decimal string', decimal, ['text'], [], ['decimal(10,2)', 'numeric', 'real']],
  ['a date', date, ['text', 'date', 'varchar(10)', ''], [], ['integer', 'real']],
  ['an integer', integer, ['integer', 'int', 'bigint', 'numeric', ''], [], ['text', 'real', 'varchar']],
  ['a number', number, ['real', 'double precision', 'float', 'integer', 'numeric(9,2)'], [], ['text']],
  ['a boolean', boolean, ['boolean', 'integer', 'tinyint(1)', 'numeric'], [], ['text', 'real']],
  ['JSON', json, ['text', 'json', 'jsonb', 'blob'], [], ['integer', 'real']],
]

const onStrictSqlite: readonly Row[] = [
  ['a string', text, ['text', 'any'], [], ['blob', 'integer']],
  ['an integer', integer, ['integer', 'int', 'any'], [], ['blob', 'text']],
  ['a number', number, ['real', 'any'], [], ['integer']],
  ['a boolean', boolean, ['integer', 'any'], [], ['blob']],
]

const onPostgres: readonly Row[] = [
  [
    'a string',
    text,
    ['text', 'varchar'],
    ['varchar(5)', 'char(5)', 'uuid', 'numeric', 'color'],
    ['int', 'boolean', 'jsonb', 'text[]', 'timestamptz', 'timestamp', 'date', 'interval'],
  ],
  ['a string of limited length', code, ['text', 'varchar(8)', 'varchar(9)', 'char(8)'], ['varchar(7)', 'char(9)'], []],
  ['a string of one length', Type.String({ minLength: 3, maxLength: 3 }), ['char(3)'], ['char(4)'], []],
  ['a date-time', moment, ['text', 'timestamptz', 'timestamp', 'varchar(40)'], ['varchar(20)'], ['date', 'bigint']],
  ['a uuid', uuid, ['uuid', 'text', 'varchar(36)'], ['varchar(35)'], ['int']],
  ['a decimal string', decimal, ['numeric', 'numeric(10,2)', 'text'], [], ['float8', 'int']],
  ['any decimal string', Type.String({ format: 'decimal' }), ['numeric', 'text'], ['numeric(10,2)'], []],
  ['one of some strings', choice, ['color', 'text', 'varchar(5)'], ['varchar(4)'], ['int']],
  ['a date', date, ['date', 'text', 'varchar(10)'], [], ['timestamp', 'timestamptz', 'int']],
  ['an integer', integer, ['smallint', 'int', 'bigint', 'numeric'], [], ['text', 'float8', 'boolean']],
  ['a number', number, ['float8', 'numeric'], ['real', 'numeric(9,2)'], ['int', 'text']],
  ['a number of cents', cents, ['float8', 'numeric(9,2)'], ['real'], []],
  ['a boolean', boolean, ['boolean'], [], ['int', 'text']],
  [
    'an array of strings',
    json,
    ['json', 'jsonb', 'text[]', 'varchar(9)[]', 'color[]', 'uuid[]'],
    [],
    ['text', 'int[]', 'bytea[]'],
  ],
  ['an array of integers', Type.Array(Type.Integer()), ['int[]', 'bigint[]'], [], ['text[]', 'float8[]', 'int']],
  ['JSON', Type.Any(), ['json', 'jsonb'], [], ['text', 'text[]']],
]

const kinds = [
  { title: 'SQLite', database: sqlite, rows: onSqlite, table: 'create table thing (id ID, value TYPE not null)' },
  {
    title: 'strict SQLite',
    database: sqlite,
    rows: onStrictSqlite,
    table: 'create table thing (id ID, value TYPE not null) strict',
  },
  {
    title: 'PostgreSQL',
    database: postgres,
    rows: onPostgres,
    table: 'create table thing (id ID, value TYPE not null)',
  },
]

describe.each(kinds)('checkTables on the column types of $title', ({ database, rows, table }) => {
  let open: OpenDatabase

  beforeAll(async () => {
    open = await database.open()
  })
  afterAll(() => open.close())

  async function severities(schema: TSchema, types: readonly string[]): Promise<Record<string, string>> {
    const found: Record<string, string> = {}
    const color = database === postgres ? { color: "create type color as enum ('red', 'green')" } : {}
    for (const type of types) {
      const statements = { ...color, thing: table.replace('TYPE', type) }
      const problems = await checkHandMade(open, statements, defineResources({ thing: { fields: { value: schema } } }))
      found[type] = problems
        .map(({ severity, message }) => (message.includes('thing.value') ? severity : message))
        .join()
    }
    return found
  }

  test.each(rows)('knows which keep %s', async (_, schema, fits, warns, errs) => {
    const expected = [
      ...fits.map((type) => [type, '']),
      ...warns.map((type) => [type, 'warning']),
      ...errs.map((type) => [type, 'error']),
    ]
    expect(await severities(schema, [...fits, ...warns, ...errs])).toEqual(Object.fromEntries(expected))
  })
})

describe('the message about a column type', () => {
  test('says what is wrong, and what would be right', async () => {
    const model = defineResources({ thing: { fields: { one: text, two: number, three: code } } })
    const columns = { one: 'numeric not null', two: 'real not null', three: 'varchar(5) not null' }
    const list = Object.entries(columns).map(([name, type]) => `${name} ${type}`)
    const thing = `create table thing (id ID, ${list.join(', ')})`
    const messages: string[][] = []
    for (const database of [sqlite, postgres]) {
      const open = await database.open()
      messages.push((await checkHandMade(open, { thing }, model)).map(({ message }) => message))
      await open.close()
    }
    expect(messages).toEqual([
      ['column thing.one is of type numeric, which does not keep every value as it is: it should be text'],
      [
        'column thing.one accepts only texts of type numeric, but the model allows others: ALTER TABLE "thing" ALTER COLUMN "one" TYPE text COLLATE "C" USING "one"::text',
        'column thing.three accepts texts of at most 5 characters, but the model allows others: ALTER TABLE "thing" ALTER COLUMN "three" TYPE varchar(8)',
        'column thing.two keeps numbers of 6 digits only (real), but the model allows others',
      ],
    ])
  })
})
