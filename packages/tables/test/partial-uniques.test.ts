import { defineResources, knows } from '@fastify-crud/core'
import { checkTables, createTables, introspect, pushTables } from '@fastify-crud/tables'
import { Type } from '@sinclair/typebox'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { describeOnBoth } from '../../../test/support/describe-on-databases.ts'
import { conditionsIn } from '../src/catalogs/found-conditions.ts'
import { useDatabase } from './use-database.ts'

const fields = {
  email: Type.String(),
  kind: Type.String(),
  rank: Type.Integer(),
  share: Type.Number(),
  active: Type.Boolean(),
  deleted: Type.Optional(Type.String({ format: 'date-time' })),
}

const relations = { friend: knows.one('user') }

const plain = defineResources({ user: { fields, relations } })

const conditions = [
  { deleted: null },
  { deleted: { null: false } },
  { friend: null },
  { active: true },
  { active: false, deleted: null },
  { kind: "it's \\ a \"kind\"; -- (x) AND 'y'" },
  { rank: -1 },
  { share: 1e21 },
  { share: 0.1, kind: '' },
] as const

describeOnBoth('a partial unique key', (setup) => {
  const database = useDatabase(setup)
  const modelWith = (where: object) =>
    defineResources({ user: { fields, relations, unique: [{ fields: ['email'], where }] } } as never)

  async function run(...statements: readonly string[]): Promise<void> {
    for (const statement of statements) await sql.raw(statement).execute(database().db)
  }

  async function uniqueProblems(where: object): Promise<unknown[]> {
    const problems = await checkTables(database().db, modelWith(where))
    return problems.filter(({ kind }) => kind === 'unique').map(({ message, fix: _, ...one }) => one)
  }

  test.each(conditions)('is created, found again and introspected: %j', async (where) => {
    const { db } = database()
    await createTables(db, modelWith(where))
    expect(await checkTables(db, modelWith(where))).toEqual([])
    const { resources } = await introspect(db)
    expect(resources.descriptors.user?.unique).toEqual([{ fields: ['email'], where }])
  })

  test('several over the same columns have names of their own', async () => {
    const { db } = database()
    const unique = conditions.map((where) => ({ fields: ['email'], where }))
    const model = defineResources({ user: { fields, relations, unique } } as never)
    await createTables(db, model)
    expect(await checkTables(db, model)).toEqual([])
    await createTables(db, model)
  })

  test('is added to a table that is there', async () => {
    const { db } = database()
    await createTables(db, plain)
    await pushTables(db, modelWith({ deleted: null }))
    expect(await checkTables(db, modelWith({ deleted: null }))).toEqual([])
  })

  test('is added by the SQL that mends the problem', async () => {
    const { db } = database()
    await createTables(db, plain)
    const [problem] = await checkTables(db, modelWith({ active: true, deleted: null }))
    const condition = `"active" = ${setup.name === 'postgres' ? 'true' : '1'} AND "deleted" IS NULL`
    expect(problem).toMatchObject({
      kind: 'unique',
      severity: 'error',
      wanted: `unique (email) where ${condition}`,
      fix: `CREATE UNIQUE INDEX "user_email_active_deleted_key" ON "user" ("email") WHERE ${condition}`,
    })
    await run(problem?.fix ?? '')
    expect(await checkTables(db, modelWith({ active: true, deleted: null }))).toEqual([])
  })

  test.each<[string, object]>([
    ['deleted is null', { deleted: null }],
    ['(("deleted") IS NOT NULL)', { deleted: { null: false } }],
    ['active', { active: true }],
    ['not active', { active: false }],
    ['NOT (active)', { active: false }],
    ['active is true', { active: true }],
    ['rank = 1', { rank: 1 }],
    ['1 = rank', { rank: 1 }],
    ["kind = 'x' and (deleted is null and rank = -2)", { deleted: null, rank: -2, kind: 'x' }],
    // It holds for more rows.
    ['deleted is null', { deleted: null, active: true }],
  ])('is found in other words: %s', async (predicate, where) => {
    await createTables(database().db, plain)
    await run(`create unique index mine on "user" (email) where ${predicate}`)
    expect(await uniqueProblems(where)).toEqual([])
  })

  test.each<[string, object]>([
    ['deleted is not null', { deleted: null }],
    ['deleted is null and rank = 1', { deleted: null }],
    ['deleted is null or active', { deleted: null }],
    ['rank > 1', { rank: 1 }],
    ["lower(kind) = 'x'", { kind: 'x' }],
    ['not (active and deleted is null)', { active: false }],
    ['(active and deleted is null) is not null', { deleted: { null: false } }],
  ])('is not taken for one with another condition: %s', async (predicate, where) => {
    await createTables(database().db, plain)
    await run(`create unique index mine on "user" (email) where ${predicate}`)
    expect(await uniqueProblems(where)).toMatchObject([{ found: expect.stringMatching(/^partial, with/) }])
  })

  test('a key for all rows is more than enough, but in the way of requests', async () => {
    const { db } = database()
    await createTables(db, defineResources({ user: { fields, relations, unique: [['email']] } }))
    const problems = await checkTables(db, modelWith({ deleted: null }))
    expect(problems).toMatchObject([{ kind: 'extra unique', severity: 'warning' }])
  })

  test('is no index for a foreign key, nor one for the key of all rows', async () => {
    const { db } = database()
    const unique = [{ fields: ['friend'], where: { deleted: null } }] as const
    await createTables(db, defineResources({ user: { fields, relations, unique } }))
    expect(await checkTables(db, plain)).toEqual([])
    const all = defineResources({ user: { fields, relations, unique: [['friend']] } })
    expect(await checkTables(db, all)).toMatchObject([{ kind: 'unique', found: 'partial' }])
  })

  test('introspect leaves others to the database, and says so', async () => {
    await createTables(database().db, plain)
    await run(
      'create unique index odd on "user" (email) where rank > 1',
      'create unique index useless on "user" (rank) where email is not null',
      'create unique index folded on "user" (kind) where lower(email) = kind',
    )
    const { resources, source } = await introspect(database().db)
    expect(resources.descriptors.user?.unique).toEqual([['rank']])
    const why = "stays the database's own: it holds for some rows only, by a condition of its own"
    for (const name of ['odd', 'folded']) expect(source).toContain(`The unique index "${name}" ${why}`)
  })
})

test('a predicate is read as far as it says something of single columns', () => {
  const read = (predicate: string) => conditionsIn(predicate, (name) => name)
  expect(read(`(((a)::text = 'x''y'::character varying(3)) AND ("b c" IS NULL))`)).toEqual([
    { column: 'a', is: { text: "x'y" } },
    { column: 'b c', is: 'null' },
  ])
  expect(read(`(kind = 'x'::public."Kind")`)).toEqual([{ column: 'kind', is: { text: 'x' } }])
  expect(read("(a = ('-1'::integer)::numeric)")).toEqual([{ column: 'a', is: { text: '-1' } }])
  expect(read(String.raw`(a = E'x\\y'::text)`)).toEqual([{ column: 'a', is: { text: 'x\\y' } }])
  for (const other of [
    '',
    'a = b',
    "'x'",
    'f(a) = 1',
    'a.b = 1',
    '(a)::integer = 1',
    'a = 1 or b',
    'not not a',
    'a = 1)',
  ]) {
    expect(read(other)).toBeUndefined()
  }
})
