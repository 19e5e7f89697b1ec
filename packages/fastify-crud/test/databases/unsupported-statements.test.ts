import { Type } from '@sinclair/typebox'
import Fastify from 'fastify'
import { CrudError, createTables, crudPlugin, defineResources, readOutbox, type Store, sendProblem } from 'fastify-crud'
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { databases, type OpenDatabase, type TestDatabase } from '../../../../test/support/databases.ts'
import { errorLog } from '../../../../test/support/error-log.ts'

const [, postgres] = databases as [TestDatabase, TestDatabase]

const resources = defineResources(
  {
    org: { id: 'uuid', fields: { name: Type.String() } },
    note: { id: 'uuid', fields: { text: Type.String() } },
  },
  { tenant: { resource: 'org' } },
)

/** Of itself, PostgreSQL says so only when a row is read. Citus says it of the whole statement. */
const NOT_SUPPORTED = "date_part('timezone', localtimestamp)::text"

describe('A statement that the engine does not support (0A000)', () => {
  let database: OpenDatabase
  let app: ReturnType<typeof Fastify>
  let errors: () => readonly { readonly err: { readonly message: string } }[]
  let tenant: string
  const crud = () => (app as unknown as { crud: Store<typeof resources> }).crud

  beforeEach(async () => {
    database = await postgres.open()
    const { db } = database
    await createTables(db, resources)
    const { fastify, lines } = errorLog('info')
    errors = () => lines.map((line) => JSON.parse(line)).filter(({ level }) => level >= 50)
    app = Fastify(fastify)
    app.get('/all', () => crud().asSystem().note.list())
    app.setErrorHandler(sendProblem)
    await app.register(crudPlugin, { db, resources, tables: 'off', tenant: () => tenant })
    await app.ready()
    ;({ id: tenant } = await crud().asSystem().org.create({ name: 'Ink' }))
    await crud().asSystem({ tenant }).note.create({ text: 'a' })
    for (const statement of [
      'alter table note rename to stored',
      `create view note as select id, "orgId", text || ${NOT_SUPPORTED} as text from stored`,
    ])
      await sql.raw(statement).execute(db)
  })
  afterEach(async () => {
    await app.close()
    await database.close()
  })

  test('is 501 and an error in the log, and the answer has no word of SQL', async () => {
    const answer = await app.inject('/api/note')
    expect([answer.statusCode, answer.json()]).toEqual([
      501,
      {
        type: 'urn:fastify-crud:internal',
        title: 'Not Implemented',
        status: 501,
        code: 'CRUD_ERR_INTERNAL',
        detail: 'the engine of the database does not support what this request needs',
        errors: [],
      },
    ])
    expect(errors()).toHaveLength(1)
    expect(JSON.stringify(errors())).toContain('timezone')
  })

  test('is a CrudError in a list of all tenants, which says to name a tenant', async () => {
    const refused = await crud()
      .asSystem()
      .note.list()
      .catch((error) => error)
    expect(refused).toBeInstanceOf(CrudError)
    expect(refused).toMatchObject({ code: 'CRUD_ERR_INTERNAL', status: 501, cause: { code: '0A000' } })
    expect(refused.message).toBe(
      'the engine of the database does not support a list of all tenants; list one after the other by asSystem({ tenant })',
    )
    expect((await app.inject('/all')).json()).toMatchObject({ status: 501, detail: refused.message })
  })

  test('is a CrudError in an outbox of all tenants, which says to name a tenant', async () => {
    const { db } = database
    for (const statement of [
      'create table waiting (id integer, "orgId" uuid)',
      `insert into waiting values (1, '${tenant}')`,
      `create view outbox as select *, ${NOT_SUPPORTED} as at from waiting`,
    ])
      await sql.raw(statement).execute(db)
    const work = async () => undefined
    await expect(readOutbox(db, 'outbox', work, { resources })).rejects.toMatchObject({
      code: 'CRUD_ERR_INTERNAL',
      status: 501,
      cause: { code: '0A000' },
      message:
        "the engine of the database does not support an outbox of all tenants; name 'resources' and a 'tenant', one after the other",
    })
    await expect(readOutbox(db, 'outbox', work, { resources, tenant })).rejects.toMatchObject({
      status: 501,
      message: 'the engine of the database does not support what this request needs',
    })
  })
})
