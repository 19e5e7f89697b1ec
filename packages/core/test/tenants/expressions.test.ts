import { createStore, defineResources } from '@fastify-crud/core'
import { createTables } from '@fastify-crud/tables'
import { Type } from '@sinclair/typebox'
import { CamelCasePlugin, type ExpressionBuilder, sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { databases, type OpenDatabase } from '../../../../test/support/databases.ts'

// biome-ignore lint/suspicious/noExplicitAny: any name of a table
type AnyBuilder = ExpressionBuilder<any, any>

/** Counts the rows of a table that an expression names in its own way. */
const counted = (count: (eb: AnyBuilder) => unknown) => ({
  schema: Type.Integer(),
  value: ({ eb }: { eb: unknown }) => count(eb as AnyBuilder) as never,
})

const countIn = (table: string) => counted((eb) => eb.selectFrom(table).select((of) => of.fn.countAll().as('n')))

describe.each(databases)('An expression in a model with tenants ($name)', (database) => {
  let open: OpenDatabase
  const isPostgres = database.name === 'postgres'
  const otherName = isPostgres ? 'public.taskItem' : 'main.taskItem'
  const modelWith = (computed: object) =>
    defineResources(
      {
        org: { fields: { name: Type.String() } },
        project: { fields: { name: Type.String() }, computed: computed as never },
        taskItem: { fields: { title: Type.String() } },
      },
      { tenant: { resource: 'org' } },
    )

  beforeAll(async () => {
    open = await database.open({ plugins: [new CamelCasePlugin()] })
    await createTables(open.db, modelWith({}))
  })
  afterAll(() => open.close())

  test('has the rows of one tenant, however it spells the name of a table', async () => {
    const resources = modelWith({
      plain: countIn('taskItem'),
      inDatabase: countIn('task_item'),
      other: countIn(otherName),
      called: counted((eb) => eb.selectFrom('taskItem as t').select((of) => of.fn.countAll().as('n'))),
      joined: counted((eb) =>
        eb
          .selectFrom('project as p')
          .innerJoin('task_item as t', (join) => join.onTrue())
          .select((of) => of.fn.countAll().as('n')),
      ),
    })
    const store = createStore({ db: open.db, resources })
    const [four, nine] = [
      await store.asSystem().org.create({ name: '4' }),
      await store.asSystem().org.create({ name: '9' }),
    ]
    const of = (tenant: number) => store.asSystem({ tenant })
    for (const title of ['a', 'b']) await of(nine.id).taskItem.create({ title })
    await of(four.id).taskItem.create({ title: 'c' })
    for (const { id } of [four, nine]) await of(id).project.create({ name: 'p' })
    const counts = (n: number) => ({ plain: n, inDatabase: n, other: n, called: n, joined: n })
    expect((await of(four.id).project.list()).rows).toMatchObject([counts(1)])
    expect((await of(nine.id).project.list()).rows).toMatchObject([counts(2)])
  })

  test.each([
    ['SQL text', () => sql`(select count(*) from task_item)`],
    ['SQL text in capitals', () => sql`(SELECT count(*) FROM TASK_ITEM)`],
    ['the command TABLE', () => sql`(select count(*) as n where exists (table task_item))`],
    ['a name in SQL text', () => sql`(select count(*) from ${sql.table('taskItem')})`],
    [
      'SQL text in place of a table',
      (eb: AnyBuilder) => eb.selectFrom(sql`task_item`.as('t')).select((of) => of.fn.countAll().as('n')),
    ],
    [
      'a table made by sql.table',
      (eb: AnyBuilder) => eb.selectFrom(sql.table('taskItem').as('t')).select((of) => of.fn.countAll().as('n')),
    ],
    [
      'SQL text that is joined',
      (eb: AnyBuilder) =>
        eb
          .selectFrom('org')
          .innerJoin(sql`task_item`.as('t'), (join) => join.onTrue())
          .select((of) => of.fn.countAll().as('n')),
    ],
  ])('that reads a table by %s is refused', (_, count) => {
    const make = () => createStore({ db: open.db, resources: modelWith({ n: counted(count as never) }) })
    expect(make).toThrow(/project\.computed\.n: its SQL text reads the table '\w+'.*my\.tenant/)
  })
})
