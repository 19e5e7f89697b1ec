import { defineResources, knows, type Model, needs } from '@fastify-crud/core'
import { checkTables, createTables, pushTables } from '@fastify-crud/tables'
import { Type } from '@sinclair/typebox'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { describeOnBoth } from '../../../test/support/describe-on-databases.ts'
import { useDatabase } from './use-database.ts'

const resources = defineResources({
  task: {
    fields: { title: Type.String(), hours: Type.Integer() },
    relations: { report: knows.one('report'), reports: knows.many('report') },
  },
  report: {
    writable: false,
    fields: { title: Type.String({ maxLength: 10 }), hours: Type.Integer({ index: true }) },
    relations: { task: needs.one('task') },
    unique: [['title']],
  },
}) as Model

const columns = `"id", "title", "hours", "id" as "taskId"`

describeOnBoth('the view of a resource with `writable: false`', (database) => {
  const open = useDatabase(database)
  const run = async (...statements: string[]) => {
    for (const statement of statements) await sql.raw(statement).execute(open().db)
  }
  const findings = async (model: Model = resources) =>
    (await checkTables(open().db, model)).map(({ severity, kind, message }) => `${severity} ${kind}: ${message}`)
  const missing = 'error table: the table report is missing: its resource has writable: false, so you create it'

  test('is not created, and checkTables names it while it is missing', async () => {
    await createTables(open().db, resources)
    expect(await findings()).toEqual([missing])
    await pushTables(open().db, resources)
    expect(await findings()).toEqual([missing])
  })

  test('needs no keys: neither its own nor those of tables that name it', async () => {
    await createTables(open().db, resources)
    await run(`create view "report" as select ${columns} from "task"`)
    expect(await findings()).toEqual([])
    const before = await open().db.introspection.getTables()
    await createTables(open().db, resources)
    await pushTables(open().db, resources)
    expect(await open().db.introspection.getTables()).toEqual(before)
  })

  test('is read before the tables that its resources need are there, or after', async () => {
    await run('create table "report" ("id" integer, "title" text, "hours" integer, "taskId" integer)')
    await pushTables(open().db, resources)
    const allowsNull = (field: string, of: string) =>
      `error null: column report.${field}${of} allows null, but the model does not: declare that it may be null`
    expect(await findings()).toEqual([
      allowsNull('hours', ''),
      allowsNull('taskId', ' of relation report.task'),
      allowsNull('title', ''),
    ])
  })

  test('has columns of types that keep the values', async () => {
    await createTables(open().db, resources)
    await run(`create view "report" as select "id", "title", cast("hours" as text) as "hours" from "task"`)
    expect(await findings()).toEqual([
      expect.stringMatching(/^error type: column report\.hours is of type text/i),
      'error column: column report.taskId of relation report.task is missing',
    ])
    await expect(pushTables(open().db, resources)).resolves.toEqual([])
  })

  test('shows a null that its fields do not have: checkTables looks at its rows', async () => {
    await createTables(open().db, resources)
    await run(
      `insert into "task" ("title", "hours") values ('a', 1), ('b', 2)`,
      `create view "report" as select "id", "title", nullif("hours", 2) as "hours", "id" as "taskId" from "task"`,
    )
    const what = `holds values that do not fit the field's schema, in 1 of 2 rows that were looked at`
    expect(await findings()).toEqual([
      expect.stringMatching(`^error value: column report\\.hours ${what}: in that with the id \\d+, it is null$`),
    ])
  })

  test('is named where its rows cannot be read', async () => {
    await createTables(open().db, resources)
    const fails = database.name === 'postgres' ? '1 / ("hours" - 1)' : `json_extract('{' || "id", '$')`
    await run(
      `insert into "task" ("title", "hours") values ('a', 1)`,
      `create view "report" as select ${columns} from "task" where ${fails} = 1`,
    )
    expect(await findings()).toEqual([
      expect.stringMatching(/^error value: the rows of report cannot be read: (?:division by zero|malformed JSON)/),
    ])
  })

  test('is named where a table is needed, with the advice to declare it', async () => {
    await run('create view "note" as select 1 as "id"')
    expect(await findings(defineResources({ note: {} }) as Model)).toEqual([
      'error table: note is a view, where a table is needed: declare writable: false, if requests only read it',
    ])
  })
})
