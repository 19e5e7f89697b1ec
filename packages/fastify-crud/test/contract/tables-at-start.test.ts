import { Type } from '@sinclair/typebox'
import Fastify, { type FastifyInstance } from 'fastify'
import { type CrudOptions, createTables, crudPlugin, defineResources } from 'fastify-crud'
import { openPostgres } from 'fastify-crud/postgres'
import { sql } from 'kysely'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { OpenDatabase } from '../../../../test/support/databases.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'

const before = defineResources({ book: { fields: { title: Type.String() } }, shop: {} })

const resources = defineResources({
  book: { fields: { title: Type.String(), price: Type.Optional(Type.Number()) } },
  shop: { fields: { name: Type.Optional(Type.String({ maxLength: 3 })) } },
  tag: {},
})

describeOnBoth('the option `tables`', (database) => {
  let open: OpenDatabase
  let app: FastifyInstance | undefined
  let lines: { readonly level: number; readonly msg: string }[]

  beforeEach(async () => {
    open = await database.open()
    lines = []
  })
  afterEach(async () => {
    await app?.close()
    await open.close()
  })

  async function start(options: Partial<CrudOptions<typeof resources>> = {}): Promise<FastifyInstance> {
    const stream = { write: (line: string) => void lines.push(JSON.parse(line)) }
    app = Fastify({ logger: { level: 'warn', stream } })
    await app.register(crudPlugin, { db: open.db, resources, authorize: () => true, ...options })
    return await app
  }

  const logged = (level: number) => lines.filter((line) => line.level === level).map(({ msg }) => msg)
  const WARN = 40
  const ERROR = 50

  const wrong = [
    /^column book\.price is missing: ALTER TABLE "book" ADD COLUMN "price"/,
    /^column shop\.name is missing: ALTER TABLE "shop" ADD COLUMN "name"/,
    /^the table tag is missing: createTables creates it$/,
  ].map((message) => expect.stringMatching(message))

  test("of 'check', the default, stops the start where the structure is another one, and names all differences at once", async () => {
    await createTables(open.db, before)
    for (const options of [{}, { tables: 'check' }] as const) {
      const error: Error = await (await start(options)).ready().then(
        () => expect.unreachable(),
        (reason) => reason,
      )
      expect(error).toBeInstanceOf(TypeError)
      const [first, ...others] = error.message.split('\n')
      expect(first).toMatch(/the tables do not fit the model.*`tables: 'warn'` starts it all the same/)
      expect(others).toEqual(wrong)
      expect(logged(ERROR)).toEqual([])
    }
  })

  test("of 'check' logs rows that do not fit, and what is slow, as warnings", async () => {
    await createTables(open.db, resources)
    await sql`insert into shop (name) values ('long')`.execute(open.db)
    await sql`create unique index one on book (title)`.execute(open.db)
    await (await start()).ready()
    expect(logged(ERROR)).toEqual([])
    expect(logged(WARN)).toEqual([
      expect.stringMatching(/^fastify-crud: the unique constraint one on book \(title\) is not in the model/),
      expect.stringMatching(/^fastify-crud: column shop\.name holds values that do not fit the field's schema/),
    ])
    expect((await (app as FastifyInstance).inject('/api/shop')).statusCode).toBe(200)
  })

  test("of 'warn' logs all differences and starts", async () => {
    await createTables(open.db, before)
    await (await start({ tables: 'warn' })).ready()
    expect(logged(ERROR).map((line) => line.replace('fastify-crud: ', ''))).toEqual(wrong)
    expect((await (app as FastifyInstance).inject('/api/shop?fields=id')).statusCode).toBe(200)
  })

  test("of 'off' does not ask the catalogs", async () => {
    await createTables(open.db, before)
    const statements = await open.statements.record(async () => {
      await (await start({ tables: 'off' })).ready()
    })
    expect(statements.filter((statement) => /pg_class|sqlite_schema/.test(statement))).toEqual([])
    expect([...logged(WARN), ...logged(ERROR)]).toEqual([])
  })

  test('of another value is refused', async () => {
    for (const tables of ['yes', true, null]) {
      await expect(start({ tables } as never)).rejects.toThrow("tables: must be 'check', 'warn' or 'off'")
    }
  })
})

test('a database that cannot be reached is an error in the log, and does not stop the start', async () => {
  // Nobody listens there.
  const db = openPostgres('postgres://127.0.0.1:1/none')
  const lines: string[] = []
  const stream = { write: (line: string) => void lines.push(`${JSON.parse(line).level} ${JSON.parse(line).msg}`) }
  const app = Fastify({ logger: { level: 'warn', stream } })
  await app.register(crudPlugin, { db, resources, authorize: () => true })
  await app.ready()
  expect(lines).toContain('50 fastify-crud: the tables could not be checked')
  await app.close()
  await db.destroy()
})
