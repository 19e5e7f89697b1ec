import { type AnyKysely, createStore } from '@fastify-crud/core'
import { type OpenPostgresOptions, openPostgres } from '@fastify-crud/core/postgres'
import { createTables } from '@fastify-crud/tables'
import { type RawBuilder, sql } from 'kysely'
import pg from 'pg'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { countMessages } from '../../../../test/support/count-messages.ts'
import { type PostgresDatabase, takePostgresDatabase } from '../../../../test/support/postgres-database.ts'
import { FEATURES_QUERY } from '../../src/session/drivers/driver-features.ts'
import { MOST_CLIENT_SHAPES } from '../../src/session/drivers/keep-frequent.ts'
import type { Pipeline } from '../../src/session/postgres/pipeline/index.ts'
import { CLIENT_SHAPE } from '../../src/sql/text/prepare.ts'
import { ALL_SHAPES, askOften, OFTEN, resources, shapes } from './asking-shapes.ts'

/** What is too much after a message is dropped with the next one. */
const ALL_PLACES = [MOST_CLIENT_SHAPES, MOST_CLIENT_SHAPES + 1]

/** More than there are places. */
const SOME_MORE = shapes(0, MOST_CLIENT_SHAPES + 50)

let database: PostgresDatabase
beforeAll(async () => {
  database = await takePostgresDatabase()
})
afterAll(() => database.giveBack())

function open(options: OpenPostgresOptions = { max: 1 }): AnyKysely {
  const db = openPostgres(database.url, options)
  onTestFinished(() => db.destroy())
  return db
}

interface PreparedStatement {
  readonly name: string
  readonly statement: string
  readonly preparedAt: string
  readonly uses: number
}

/** The statements that the server keeps for a connection. */
async function prepared(db: AnyKysely): Promise<readonly PreparedStatement[]> {
  const { rows } = await sql<PreparedStatement>`select name, statement, prepare_time::text as "preparedAt",
    (generic_plans + custom_plans)::int as uses from pg_prepared_statements order by name`.execute(db)
  return rows
}

const isShape = ({ name }: PreparedStatement) => name.startsWith('crud_shape_')

async function fixed(db: AnyKysely): Promise<readonly PreparedStatement[]> {
  return (await prepared(db)).filter((one) => !isShape(one))
}

async function countShapes(db: AnyKysely): Promise<number> {
  return (await prepared(db)).filter(isShape).length
}

/** Sends statements of other shapes than lists have, which the server has less work with. */
async function sendOften(db: AnyKysely, numbers: readonly number[], value = '1'): Promise<void> {
  for (const shape of numbers) for (let n = 0; n < OFTEN; n++) await statement(shape, value).execute(db)
}

/** A value that is no number makes it fail when it is prepared already. */
function statement(shape: number, value: string) {
  return sql<{ n: number }>`select ${value}::text::int as n, ${sql.raw(`${shape}${CLIENT_SHAPE}`)}`
}

test('However many shapes a client sends, the server keeps the last of them and all other statements', async () => {
  const db = open()
  await createTables(db, resources)
  const store = createStore({ db, resources })
  const { id } = await store.tag.create({ word: 'w' })
  const plain = async () => {
    await store.tag.find(id)
    await store.note.list()
  }
  for (let n = 0; n < OFTEN; n++) await plain()
  const before = await fixed(db)
  expect(before).toHaveLength(2)

  await askOften(db, shapes(0, ALL_SHAPES))
  expect(ALL_PLACES).toContain(await countShapes(db))
  expect(await fixed(db)).toEqual(before)
  await plain()
  expect(await fixed(db)).toEqual(before.map((one) => ({ ...one, uses: one.uses + 1 })))

  // What nobody has asked for until then has its place, too.
  for (let n = 0; n < OFTEN; n++) await store.tag.list()
  expect(await fixed(db)).toHaveLength(before.length + 1)
})

test('A shape that is asked for now and then is kept, whatever comes in between', async () => {
  const db = open()
  const favourite = -1
  await sendOften(db, [favourite])
  const [before] = await prepared(db)
  for (const shape of SOME_MORE) {
    await sendOften(db, [shape])
    if (shape % 100 === 0) await statement(favourite, '1').execute(db)
  }
  expect((await prepared(db)).find(({ name }) => name === before?.name)?.preparedAt).toBe(before?.preparedAt)
})

test('To have the server forget a shape takes no message of its own', async () => {
  const pool = new pg.Pool({ connectionString: database.url, max: 1 })
  const messages = countMessages(pool)
  const db = openPostgres(pool)
  onTestFinished(() => db.destroy())
  await sendOften(db, SOME_MORE)
  expect(messages()).toBe(SOME_MORE.length * OFTEN)
  expect(ALL_PLACES).toContain(await countShapes(db))
})

test('Shapes that fail are dropped like all others', async () => {
  const db = open()
  for (const shape of SOME_MORE) {
    for (let n = 0; n < OFTEN; n++) {
      await expect(statement(shape, 'no number').execute(db)).rejects.toThrow('no number')
    }
  }
  expect(ALL_PLACES).toContain(await countShapes(db))
})

test('In a transaction, shapes are dropped without an error, and stay so if it is rolled back', async () => {
  const db = open()
  await db.transaction().execute((trx) => sendOften(trx, SOME_MORE))
  expect(ALL_PLACES).toContain(await countShapes(db))
  const failing = db.transaction().execute(async (trx) => {
    await sendOften(trx, shapes(400, 500))
    await statement(500, 'no number').execute(trx)
  })
  await expect(failing).rejects.toThrow('no number')
  expect(ALL_PLACES).toContain(await countShapes(db))
})

test('A shape is also dropped by a message of which the server has run nothing', async () => {
  const db = open()
  await sendOften(db, SOME_MORE)
  await db.getExecutor().provideConnection(async (connection) => {
    const run = (query: RawBuilder<unknown>) => connection.executeQuery(query.compile(db))
    const { rows } = await run(sql.raw(FEATURES_QUERY))
    const { pipeline } = (rows[0] as { features: { pipeline: Pipeline } }).features
    for (const shape of shapes(400, 450)) {
      for (let n = 1; n < OFTEN; n++) await run(statement(shape, '1'))
      // These go in one message, as a session holds the connection.
      pipeline.hold()
      const [, behind] = await Promise.allSettled([run(sql`select ${'no number'}::int`), run(statement(shape, '1'))])
      pipeline.release()
      expect(behind).toMatchObject({ reason: { message: 'not run, because an earlier statement failed' } })
    }
  })
  await sendOften(db, shapes(500, 500 + SOME_MORE.length))
  expect(ALL_PLACES).toContain(await countShapes(db))
})

test('When the server has forgotten all statements, it keeps no more of them afterwards', async () => {
  const db = open()
  await sendOften(db, SOME_MORE)
  await sql`deallocate all`.execute(db)
  const last = statement(SOME_MORE.length - 1, '7')
  await expect(last.execute(db)).rejects.toThrow('does not exist')
  expect((await last.execute(db)).rows).toMatchObject([{ n: 7 }])
  await sendOften(db, SOME_MORE)
  await sendOften(db, SOME_MORE)
  expect(ALL_PLACES).toContain(await countShapes(db))
})

test('Each connection has its own places, also one in place of another that was lost', async () => {
  let noteLoss = () => {}
  const poolHasLostIt = new Promise<void>((resolve) => {
    noteLoss = resolve
  })
  const db = open({ max: 2, warn: noteLoss })
  const onBoth = (work: (one: AnyKysely) => Promise<void>) => {
    let [here, go] = [0, () => {}]
    const bothAreHere = new Promise<void>((resolve) => {
      go = resolve
    })
    const onOne = () =>
      db.connection().execute(async (one) => {
        here += 1
        if (here === 2) go()
        await bothAreHere
        await work(one)
      })
    return Promise.all([onOne(), onOne()])
  }
  const fillBoth = () =>
    onBoth(async (one) => {
      await sendOften(one, SOME_MORE)
      expect(ALL_PLACES).toContain(await countShapes(one))
    })
  await fillBoth()
  await sql`select pg_terminate_backend(pid, 5000) from pg_stat_activity
    where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()`.execute(db)
  await poolHasLostIt
  await fillBoth()
})

test('What one Kysely instance drops, another on the same pool does not use', async () => {
  const pool = new pg.Pool({ connectionString: database.url, max: 1 })
  const [one, other] = [openPostgres(pool), openPostgres(pool)]
  onTestFinished(() => one.destroy())
  await sendOften(one, [-1])
  await sendOften(other, SOME_MORE)
  await sendOften(one, [-1])
  expect(ALL_PLACES).toContain(await countShapes(one))
})

test('On a pool with `pipeline`, the server keeps all statements but those of shapes', async () => {
  const pool = new pg.Pool({ connectionString: database.url, max: 1, pipeline: true })
  const db = openPostgres(pool)
  onTestFinished(() => db.destroy())
  await sendOften(db, shapes(0, 10))
  expect(await prepared(db)).toEqual([])
  for (let n = 0; n < OFTEN; n++) await sql`select ${'1'}::int`.execute(db)
  expect(await prepared(db)).toMatchObject([{ statement: 'select $1::int' }])
})
