import { createStore, defineResources, field, type Model, needs, ownedBy, owns } from '@fastify-crud/core'
import { checkTables, createTables, generateMigrations, pushTables } from '@fastify-crud/tables'
import { type TSchema, Type } from '@sinclair/typebox'
import { sql } from 'kysely'
import { describe, expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { databases, type OpenDatabase } from '../../../test/support/databases.ts'
import { describeOnBoth } from '../../../test/support/describe-on-databases.ts'
import { useMigrations } from './generate/use-migrations.ts'
import { useDatabase } from './use-database.ts'

const text = (format: string, options: object = {}) => Type.String({ format, ...options })
const uuid = '0190163d-8694-739b-aea5-966c26f8ad91'

/** A field, and the type that PostgreSQL gets for it. */
const TYPES: Readonly<Record<string, readonly [schema: object, type: string]>> = {
  moment: [text('date-time'), 'timestamp with time zone'],
  momentOrNull: [Type.Union([text('date-time'), Type.Null()]), 'timestamp with time zone'],
  optional: [Type.Optional(text('date-time', { description: 'When.' })), 'timestamp with time zone'],
  ofZod: [z.iso.datetime(), 'timestamp with time zone'],
  // JavaScript prints three digits, and the column would leave out zeros.
  threeDigits: [text('date-time', { pattern: String.raw`\.\d{3}Z$` }), 'text'],
  upToThree: [text('date-time', { pattern: String.raw`^[^.]+(\.\d{1,3}(\D.*)?)?$` }), 'timestamp with time zone'],
  ofVienna: [text('date-time', { pattern: String.raw`\+0[12]:00$` }), 'text'],
  momentText: [text('date-time', { stored: 'text' }), 'text'],
  day: [text('date'), 'date'],
  dayText: [text('date', { stored: 'text' }), 'text'],
  time: [text('time'), 'time with time zone'],
  timeOfDay: [text('iso-time'), 'time without time zone'],
  timeText: [text('iso-time', { stored: 'text' }), 'text'],
  uuid: [text('uuid'), 'uuid'],
  uuidOfZod: [z.uuidv4(), 'uuid'],
  upper: [text('uuid', { pattern: '^[^a-f]*$' }), 'text'],
  uuidText: [text('uuid', { stored: 'text' }), 'text'],
  decimal: [text('decimal'), 'numeric'],
  price: [text('decimal', { pattern: String.raw`^-?\d{1,8}(\.\d{1,2})?$` }), 'numeric(10,2)'],
  noZeroFirst: [text('decimal', { pattern: String.raw`^(0|[1-9]\d{0,4})(\.\d{1,3})?$` }), 'numeric(8,3)'],
  cents: [text('decimal', { pattern: String.raw`^\d{1,3}\.\d{2}$`, maxLength: 9 }), 'numeric(5,2)'],
  whole: [text('decimal', { pattern: String.raw`^\d{1,3}$` }), 'numeric(3,0)'],
  // Zeros at the end would make it longer.
  short: [text('decimal', { pattern: String.raw`^-?\d{1,8}(\.\d{1,2})?$`, maxLength: 10 }), 'numeric'],
  evenDigits: [text('decimal', { pattern: '[02468]$' }), 'numeric'],
  decimalText: [text('decimal', { stored: 'text' }), 'text'],
  oneOf: [{ type: 'string', format: 'date-time', enum: ['2026-01-01T00:00:00+01:00'] }, 'text'],
  duration: [text('duration'), 'text'],
  mail: [text('email'), 'text'],
}

const fieldsOf = (index: 0) =>
  Object.fromEntries(Object.entries(TYPES).map(([name, type]) => [name, type[index]])) as Record<string, TSchema>

async function columnsOf({ db }: OpenDatabase, table: string): Promise<Readonly<Record<string, string>>> {
  const { rows } = await sql<{ name: string; type: string }>`
    select attname as name, format_type(atttypid, atttypmod) as type from pg_attribute
    where attrelid = ${`"${table}"`}::regclass and attnum > 0 and not attisdropped`.execute(db)
  return Object.fromEntries(rows.map(({ name, type }) => [name, type]))
}

const postgres = databases.filter(({ name }) => name === 'postgres')

describe.each(postgres)('On PostgreSQL, createTables', (kind) => {
  const database = useDatabase(kind)

  test('makes columns of the types that databases have for moments, days, times, UUIDs and decimals', async () => {
    const model = defineResources({ thing: { fields: fieldsOf(0), softDelete: 'deletedAt' } }) as Model
    await createTables(database().db, model)
    expect(await columnsOf(database(), 'thing')).toEqual({
      id: 'bigint',
      ...Object.fromEntries(Object.entries(TYPES).map(([name, [, type]]) => [name, type])),
      deletedAt: 'timestamp with time zone',
    })
    expect(await checkTables(database().db, model)).toEqual([])
    expect(await generateMigrations(database().db, model)).toMatchObject({ files: [], byHand: [] })
  })

  test('gives foreign keys the type of the ids that they name', async () => {
    const named = (format: string) => ({ id: ['at'] as const, fields: { at: text(format) } })
    const model = defineResources({
      moment: named('date-time'),
      time: named('time'),
      code: { ...named('uuid'), relations: { bills: owns.many('bill') } },
      bill: { id: ['code', 'number'], fields: { number: Type.Integer() }, relations: { code: ownedBy('code') } },
      order: { relations: { moment: needs.one('moment'), time: needs.one('time'), code: needs.one('code') } },
    }) as Model
    await createTables(database().db, model)
    expect(await columnsOf(database(), 'order')).toMatchObject({
      momentId: 'timestamp with time zone',
      timeId: 'time with time zone',
      codeId: 'uuid',
    })
    expect(await columnsOf(database(), 'bill')).toMatchObject({ codeId: 'uuid' })
    expect(await checkTables(database().db, model)).toEqual([])
    const store = createStore({ db: database().db, resources: model })
    await store.resource('moment').create({ at: '2026-01-31T12:00:00Z' } as never)
    await store.resource('time').create({ at: '12:00:00Z' } as never)
    await store.resource('code').create({ at: uuid, bills: [{ number: 1 }] } as never)
    const keys = { momentId: '2026-01-31T12:00:00Z', timeId: '12:00:00Z', codeId: uuid }
    const order = await store.resource('order').create(keys as never)
    expect(order).toMatchObject({ ...keys, moment: { id: keys.momentId }, time: { at: '12:00:00Z' } })
  })
})

test('A column that resources share has room for the values of all of them', async () => {
  const of = (type: string, at: object, price: object) => ({
    table: 'thing',
    where: { type },
    fields: { at: text('date-time', at), price: text('decimal', price) },
  })
  const model = defineResources({
    a: of('a', {}, { pattern: String.raw`^\d{1,2}(\.\d{1,2})?$` }),
    b: of('b', { pattern: String.raw`\.\d{3}Z$` }, { pattern: String.raw`^\d{1,4}$` }),
  }) as Model
  const [open] = await Promise.all(postgres.map((one) => one.open()))
  onTestFinished(() => open?.close())
  await createTables((open as OpenDatabase).db, model)
  expect(await columnsOf(open as OpenDatabase, 'thing')).toMatchObject({ at: 'text', price: 'numeric' })
})

/** As tables were made before PostgreSQL's own types were. */
const earlier = (options: object) =>
  defineResources({
    event: {
      id: ['at'],
      fields: { at: text('date-time', options), price: text('decimal', { ...options, maxLength: 20, index: true }) },
    },
    badge: { id: ['code'], fields: { code: text('uuid', options) } },
  }) as Model

describe.each(postgres)('Columns of texts that were made earlier', (kind) => {
  const database = useDatabase(kind)
  const event = { at: '2026-01-31T12:00:00+02:00', price: '1.50' }

  test('are no difference to checkTables, pushTables and generate, and go on working', async () => {
    const { db } = database()
    await createTables(db, earlier({ stored: 'text' }))
    const model = earlier({})
    expect(await checkTables(db, model)).toEqual([])
    expect(await pushTables(db, model)).toEqual([])
    expect(await generateMigrations(db, model)).toEqual({ files: [], byHand: [], unfilled: [] })
    await createTables(db, model)
    expect(await columnsOf(database(), 'event')).toEqual({ at: 'text', price: 'text' })
    const store = createStore({ db, resources: model }).resource('event')
    expect(await store.create(event as never)).toMatchObject({ id: event.at, ...event })
    const found = await store.list({ filter: { price: { gte: '1.5' }, at: { lt: '2026-01-31T10:00:01Z' } } } as never)
    expect(found.rows).toMatchObject([event])
  })

  const visits = (options: object, others: object = {}) =>
    defineResources({
      ...earlier(options).descriptors,
      visit: { relations: { event: needs.one('event', { optional: true }) } },
      ...others,
    } as never) as Model

  test.each(['createTables', 'pushTables', 'generate'])(
    'are named by columns of texts in the tables that %s makes',
    async (how) => {
      const { db } = database()
      await createTables(db, earlier({ stored: 'text' }))
      const model = visits({})
      if (how === 'createTables') await createTables(db, model)
      if (how === 'pushTables') await pushTables(db, model)
      if (how === 'generate')
        for (const { statements } of (await generateMigrations(db, model)).files)
          for (const statement of statements) await sql.raw(statement).execute(db)
      expect(await columnsOf(database(), 'visit')).toMatchObject({ eventId: 'text' })
      expect(await checkTables(db, model)).toEqual([])
      const store = createStore({ db, resources: model })
      await store.resource('event').create(event as never)
      expect(await store.resource('visit').create({ eventId: event.at } as never)).toMatchObject({ event })
    },
  )

  test('are named by new columns of texts, also under another name by then', async () => {
    const { db } = database()
    const before = defineResources({ ...earlier({ stored: 'text' }).descriptors, visit: {} } as never) as Model
    await createTables(db, before)
    const { event: described, ...others } = visits({}).descriptors
    const at = field(text('date-time'), { was: 'at' })
    const model = defineResources({
      ...others,
      event: { ...described, id: ['day'], fields: { day: at, price: described?.fields?.price } },
    } as never) as Model
    await pushTables(db, model)
    expect(await columnsOf(database(), 'visit')).toMatchObject({ eventId: 'text' })
    expect(await checkTables(db, model)).toEqual([])
  })

  test('that named nothing keep their type, and a new table that they come to name gets it', async () => {
    const { db } = database()
    const order = { fields: { badgeId: Type.Optional(text('uuid', { stored: 'text' })) } }
    await createTables(db, defineResources({ order }) as Model)
    const model = defineResources({
      badge: { id: ['code'], fields: { code: text('uuid') } },
      order: { relations: { badge: needs.one('badge', { optional: true }) } },
    }) as Model
    await pushTables(db, model)
    expect(await columnsOf(database(), 'badge')).toMatchObject({ code: 'text' })
    expect(await checkTables(db, model)).toEqual([])
  })

  test('cannot be named by a column of another type, which checkTables and generate say', async () => {
    const { db } = database()
    await createTables(db, earlier({ stored: 'text' }))
    await createTables(db, defineResources({ visit: { fields: { badgeId: Type.Optional(text('uuid')) } } }) as Model)
    const model = defineResources({
      ...earlier({}).descriptors,
      visit: { relations: { badge: needs.one('badge', { optional: true }) } },
    } as never) as Model
    const what =
      'visit.badgeId is of type uuid, but badge.code, which it names, is of type text: give both the same type'
    expect(await checkTables(db, model)).toMatchObject([{ kind: 'type', severity: 'error', message: what }])
    expect((await generateMigrations(db, model)).byHand).toEqual([what])
  })
})

describeOnBoth('A field that says another format, or none', (setup) => {
  const { database, migrate } = useMigrations(setup)
  const isPostgres = setup.name === 'postgres'
  const values = {
    moment: ['date-time', '2026-01-31T12:00:00.5Z'],
    day: ['date', '2026-01-31'],
    time: ['time', '10:00:00.25+02:00'],
    utc: ['time', '10:00:00Z'],
    timeOfDay: ['iso-time', '10:00:00.25'],
    code: ['uuid', uuid],
    decimal: ['decimal', '1.50'],
  } as const
  const row = Object.fromEntries(Object.entries(values).map(([name, [, value]]) => [name, value]))
  const modelWith = (schema: (format: string) => TSchema) => {
    const fields = Object.entries(values).map(([name, [format]]) => [name, schema(format)])
    return defineResources({ thing: { fields: Object.fromEntries(fields) } }) as Model
  }
  const others: [title: string, to: Model, shown: object][] = [
    ['none', modelWith(() => Type.String()), row],
    ["stored: 'text'", modelWith((format) => text(format, { stored: 'text' })), row],
    // On SQLite, a text is no JSON.
    ...(isPostgres
      ? [['no type', modelWith(() => Type.Any()), { ...row, decimal: 1.5 }] as [string, Model, object]]
      : []),
  ]

  test.each(others)('has the values as answers have shown them: %s', async (_title, to, shown) => {
    await migrate(
      modelWith((format) => text(format)),
      { thing: [row] },
      to,
    )
    const store = createStore({ db: database().db, resources: to }).resource('thing')
    expect((await store.list()).rows).toMatchObject([shown])
  })

  test('gets room for the digits of a new pattern, and values stay as they are', async () => {
    const priced = (pattern: string) =>
      defineResources({ thing: { fields: { price: text('decimal', { pattern }) } } }) as Model
    const [small, large, exact] = [
      priced(String.raw`^\d{1,3}(\.\d{1,2})?$`),
      priced(String.raw`^\d{1,6}(\.\d{1,2})?$`),
      priced(String.raw`^\d{1,3}(\.\d{1,4})?$`),
    ]
    const { rows } = await migrate(small, { thing: [{ price: '1.50' }] }, large)
    expect(rows.thing).toMatchObject([{ price: isPostgres ? 1.5 : '1.50' }])
    if (!isPostgres) return
    expect(await columnsOf(database(), 'thing')).toMatchObject({ price: 'numeric(8,2)' })
    await pushTables(database().db, exact)
    expect(await columnsOf(database(), 'thing')).toMatchObject({ price: 'numeric' })
    const store = createStore({ db: database().db, resources: exact }).resource('thing')
    expect((await store.list()).rows).toMatchObject([{ price: '1.50' }])
    await pushTables(database().db, small)
    expect(await columnsOf(database(), 'thing')).toMatchObject({ price: 'numeric' })
  })
})
