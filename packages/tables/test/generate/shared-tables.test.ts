import { defineResources, field, type Model, neededBy, needs } from '@fastify-crud/core'
import { type TProperties, Type } from '@sinclair/typebox'
import { expect, test } from 'vitest'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import { useMigrations } from './use-migrations.ts'

const short = Type.String({ maxLength: 50 })

interface Part {
  readonly fields: TProperties
  readonly [option: string]: unknown
}

/** Resources of one table, each with its kind. */
function shared(parts: Readonly<Record<string, Part>>, others: object = {}): Model {
  const all = Object.entries(parts).map(([key, part]) => [key, { table: 'text', where: { kind: key }, ...part }])
  return defineResources({ ...Object.fromEntries(all), ...others } as never) as Model
}

const novel = { fields: { title: short } }
const poem = { fields: { title: short } }
const before = shared({ novel, poem })
const rows = {
  text: [
    { kind: 'novel', title: 'Emma' },
    { kind: 'poem', title: 'Ode' },
    { kind: 'poem', title: 'Emma' },
  ],
}

describeOnBoth('generateMigrations, for a table of several resources,', (setup) => {
  const { database, migrate } = useMigrations(setup)
  const insert = (row: object) => database().db.insertInto('text').values(row).execute()

  test('adds the fields of each, which may be null where only one requires them', async () => {
    const to = shared({
      novel: { fields: { title: short, pages: Type.Integer(), isbn: Type.Optional(short) } },
      poem: { fields: { title: short, verses: field(Type.Integer(), { default: 1 }) } },
    })
    const { rows: now } = await migrate(before, rows, to)
    expect(now.text).toMatchObject([
      { kind: 'novel', title: 'Emma', pages: null, isbn: null },
      { kind: 'poem', title: 'Ode', pages: null },
      { kind: 'poem', title: 'Emma', pages: null },
    ])
    await insert({ kind: 'poem', title: 'x' })
  })

  test('asks for the value of a field that all of them require', async () => {
    const fields = { title: short, pages: Type.Integer() }
    const { rows: now } = await migrate(before, rows, shared({ novel: { fields }, poem: { fields } }), { pages: 7 })
    expect(now.text).toMatchObject([{ pages: 7 }, { pages: 7 }, { pages: 7 }])
    await expect(insert({ kind: 'poem', title: 'x' })).rejects.toThrow(/null/i)
  })

  test('adds a resource to a table that has others', async () => {
    const to = shared({ novel, poem, essay: { fields: { title: short, topic: short } } })
    const { rows: now } = await migrate(before, rows, to)
    expect(now.text).toMatchObject([{ topic: null }, { topic: null }, { topic: null }])
    await insert({ kind: 'essay', title: 'x', topic: 'y' })
  })

  test('takes not null away where a further resource does not have the field', async () => {
    const fields = { title: short, pages: Type.Integer() }
    const ofNovels = shared({ novel: { fields } })
    const text = [{ kind: 'novel', title: 'Emma', pages: 400 }]
    const { rows: now } = await migrate(ofNovels, { text }, shared({ novel: { fields }, poem }))
    expect(now.text).toMatchObject(text)
    await insert({ kind: 'poem', title: 'x' })
  })

  test('leaves a column that no resource has any more, without not null', async () => {
    const from = shared({ novel: { fields: { title: short, pages: Type.Integer() } }, poem })
    const text = [{ kind: 'novel', title: 'Emma', pages: 400 }]
    const { rows: now } = await migrate(from, { text }, before)
    expect(now.text).toMatchObject(text)
    await insert({ kind: 'novel', title: 'x' })
  })

  test('adds a unique key, for the rows of each kind', async () => {
    const to = shared({ novel: { ...novel, unique: [['title']] }, poem })
    await migrate(before, rows, to)
    await expect(insert({ kind: 'novel', title: 'Emma' })).rejects.toThrow(/unique/i)
    await insert({ kind: 'novel', title: 'Ode' })
  })

  test('adds a unique key of some rows, for the rows of each kind', async () => {
    const unique = [{ fields: ['title'], where: { goneAt: null } }]
    const fields = { title: short, goneAt: Type.Optional(short) }
    const from = shared({ novel: { fields }, poem })
    const text = [...rows.text, { kind: 'novel', title: 'Emma', goneAt: 'now' }]
    await migrate(from, { text }, shared({ novel: { fields, unique }, poem }))
    await insert({ kind: 'novel', title: 'Emma', goneAt: 'then' })
    await insert({ kind: 'novel', title: 'Ode' })
    await expect(insert({ kind: 'novel', title: 'Emma' })).rejects.toThrow(/unique/i)
  })

  test('adds a relation of one of them', async () => {
    const author = { fields: { name: short }, relations: { poems: neededBy.many('poem') } }
    const to = shared(
      { novel, poem: { ...poem, relations: { author: needs.one('author', { optional: true }) } } },
      { author },
    )
    const { rows: now } = await migrate(before, rows, to)
    expect(now.text).toMatchObject([{ authorId: null }, { authorId: null }, { authorId: null }])
    await expect(insert({ kind: 'poem', title: 'x', authorId: 9 })).rejects.toThrow(/foreign key/i)
  })

  test('makes a table of one resource that of two', async () => {
    const only = defineResources({ text: { fields: { title: short } } }) as Model
    const to = shared({ novel, poem })
    const { rows: now } = await migrate(only, { text: [{ title: 'Emma' }] }, to, { kind: 'novel' })
    expect(now.text).toMatchObject([{ kind: 'novel', title: 'Emma' }])
    await expect(insert({ title: 'x' })).rejects.toThrow(/null/i)
  })
})
