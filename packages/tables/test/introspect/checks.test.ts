import { checkTables, introspect } from '@fastify-crud/tables'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { databases, type TestDatabase } from '../../../../test/support/databases.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import { useDatabase } from '../use-database.ts'

const [sqlite, postgres] = databases as readonly [TestDatabase, TestDatabase]

/** The texts that the field of the column `x` allows, as introspect describes the table `t`; undefined: any text. */
async function allowed(database: ReturnType<typeof useDatabase>, ddl: string): Promise<unknown> {
  const { db } = database()
  for (const statement of ddl.split(';\n')) await sql.raw(statement).execute(db)
  const { resources, source } = await introspect(db)
  const findings = await checkTables(db, resources)
  expect(findings.filter(({ severity }) => severity === 'error')).toEqual([])
  const schema = resources.resources.get('t')?.fields.find(({ column }) => column === 'x')?.schema
  if (schema === undefined) throw new Error(source)
  return textsIn(schema)
}

interface Texts {
  readonly const?: unknown
  readonly type?: string
  readonly anyOf?: readonly Texts[]
}

/** The constants of a union, which may have null beside it. */
function textsIn({ const: one, type, anyOf }: Texts): readonly unknown[] | undefined {
  if (one !== undefined) return [one]
  if (anyOf === undefined) return type === 'null' ? [] : undefined
  const texts = anyOf.map(textsIn)
  return texts.includes(undefined) ? undefined : texts.flat()
}

describeOnBoth('a check of a column', (setup) => {
  const database = useDatabase(setup)
  const create = (column: string) => `create table t (id integer primary key, ${column})`

  test.each([
    ["x text not null check (x in ('a', 'b'))", ['a', 'b']],
    ["x varchar(9) check (x in ('draft', 'published')) default 'draft'", ['draft', 'published']],
    ["x char(1) check (x in ('M', 'F'))", ['M', 'F']],
    ["x text, check (x in ('only'))", ['only']],
    [
      "x text, y text, constraint known check (((\"x\" in ('it''s', '\"', 'a,b', '', ')', ' -- ', 'a\\b'))))",
      ["it's", '"', 'a,b', '', ')', ' -- ', 'a\\b'],
    ],
    ["x text check (x in ('ü', '😀', 'a', 'a'))", ['ü', '😀', 'a']],
  ])('is an enumeration: %s', async (column, texts) => {
    expect(await allowed(database, create(column))).toEqual(texts)
  })

  test.each([
    "x text check (x in ('a', 'b') or x is null)",
    "x text check (x not in ('a', 'b'))",
    "x text check (x <> 'a')",
    "x text check (lower(x) in ('a', 'b'))",
    "x text, y text, check (x in ('a', y))",
    "x text, y text, check (x || y in ('a', 'b'))",
    "x text, y text, check (x in ('a', 'b') and y in ('c'))",
    'x text check (length(x) < 9)',
  ])('that says something else leaves it a text: %s', async (column) => {
    expect(await allowed(database, create(column))).toBe(undefined)
  })

  test('never becomes code', async () => {
    const { db } = database()
    const texts = [
      "'}); globalThis.hacked = 1; ({",
      '`$' + '{globalThis.hacked = 1}`',
      'line\nglobalThis.hacked = 1',
      '*/ x /*',
      '// \u2028',
    ]
    const list = texts.map((text) => `'${text.replaceAll("'", "''")}'`).join(', ')
    await sql.raw(create(`x text not null check (x in (${list}))`)).execute(db)
    const { source } = await introspect(db)
    const body = source.replace(/^import .*$/gm, '').replace('export const resources =', 'return')
    const types = { Union: (all: unknown) => all, Literal: (text: unknown) => text }
    const defined = new Function('Type', 'defineResources', body)(types, (given: unknown) => given)
    expect(defined.t.fields.x).toEqual(texts)
  })
})

describe('a check of a column (postgres)', () => {
  const database = useDatabase(postgres)

  test.each([
    ["create table t (id integer primary key, x text, check (x = any (array['a', 'b'])))", ['a', 'b']],
    ["create table t (id integer primary key, x varchar, check (x = 'a'))", ['a']],
    [
      "create table t (id integer primary key, x varchar, check ((x)::text = ANY (ARRAY[('a'::character varying)::text, ('b'::character varying)::text])))",
      ['a', 'b'],
    ],
    ["create table t (id integer primary key, \"a = b\" text, x text, check (x in ('a = b', 'c')))", ['a = b', 'c']],
  ])('is an enumeration: %s', async (ddl, texts) => {
    expect(await allowed(database, ddl)).toEqual(texts)
  })

  test.each([
    [
      'rows may break it',
      "create table t (id integer primary key, x text);\nalter table t add check (x in ('a')) not valid",
    ],
    [
      'other letters are equal',
      "create extension if not exists citext;\ncreate table t (id integer primary key, x citext check (x in ('a')))",
    ],
    [
      'the collation finds other texts equal',
      "create collation no_case (provider = icu, locale = 'und-u-ks-level2', deterministic = false);\ncreate table t (id integer primary key, x text collate no_case check (x in ('a')))",
    ],
    ['blanks are added', "create table t (id integer primary key, x char(3) check (x in ('a', 'bcd')))"],
    ['it is about tables below', "create table t (id integer primary key, x text, check (x in ('a')) no inherit)"],
  ])('leaves it a text where %s', async (_, ddl) => {
    expect(await allowed(database, ddl)).toBe(undefined)
  })
})

describe('a check of a column (sqlite)', () => {
  const database = useDatabase(sqlite)

  test.each([
    ["CREATE TABLE t (id integer primary key, [x] text CHECK([X] IN('a'/* ) */,'b')) -- x in ('c')\n)", ['a', 'b']],
    [
      "create table t (id integer primary key, y text default 'check (x in (''c''))', x text, check (`x` in ('a')))",
      ['a'],
    ],
  ])('is an enumeration: %s', async (ddl, texts) => {
    expect(await allowed(database, ddl)).toEqual(texts)
  })

  test.each([
    "create table t (id integer primary key, x text collate nocase check (x in ('a', 'b')))",
    "create table t (id integer primary key, x integer check (x in ('1', '2')))",
    'create table t (id integer primary key, a text, b text, x text check (x in ("a", "b")))',
  ])('leaves it what it is: %s', async (ddl) => {
    expect(await allowed(database, ddl)).toBe(undefined)
  })
})
