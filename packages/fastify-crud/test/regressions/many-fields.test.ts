import { type TSchema, Type } from '@sinclair/typebox'
import { defineResources, knows, needs, ownedBy, owns } from 'fastify-crud'
import { expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'

interface Kind {
  readonly type: TSchema
  readonly value: unknown
  readonly changed: unknown
  readonly isInNoFilter?: true
}

/** Short values: a row of PostgreSQL has 8 kB. */
const kinds: readonly Kind[] = [
  { type: Type.String(), value: 'a', changed: 'b' },
  { type: Type.String({ maxLength: 10 }), value: 'a', changed: 'b' },
  { type: Type.Integer(), value: 1, changed: 2 },
  { type: Type.Number(), value: 0.5, changed: 1.5 },
  { type: Type.Boolean(), value: true, changed: false },
  { type: Type.Union([Type.Literal('red'), Type.Literal('blue')]), value: 'red', changed: 'blue' },
  { type: Type.String({ format: 'date' }), value: '2024-02-29', changed: '2024-03-01' },
  { type: Type.String({ format: 'time' }), value: '10:00:00Z', changed: '11:00:00Z' },
  { type: Type.String({ format: 'date-time' }), value: '2024-02-29T10:00:00Z', changed: '2024-02-29T11:00:00Z' },
  { type: Type.String({ format: 'decimal' }), value: '1.5', changed: '2.5' },
  { type: Type.String({ format: 'duration' }), value: 'P1D', changed: 'P2D' },
  { type: Type.String({ contentEncoding: 'base64' }), value: 'YQ==', changed: 'Yg==', isInNoFilter: true },
  { type: Type.Any(), value: [1], changed: [2], isInNoFilter: true },
]
const text = kinds[0] as Kind

const names = Array.from({ length: 900 }, (_, index) => `f${index}`)
const ofAllKinds = names.map((name, index) => [name, kinds[index % kinds.length] as Kind] as const)
const ofTexts = names.map((name) => [name, text] as const)

function each(fields: typeof ofAllKinds, part: 'value' | 'changed'): Record<string, unknown> {
  return Object.fromEntries(fields.map(([name, kind]) => [name, kind[part]]))
}

function schemas(fields: typeof ofAllKinds): Record<string, TSchema> {
  return Object.fromEntries(fields.map(([name, { type }]) => [name, type]))
}

const resources = defineResources({
  sheet: { fields: schemas(ofAllKinds), relations: { rows: owns.many('row'), page: owns.one('page') } },
  row: { fields: schemas(ofAllKinds), relations: { sheet: ownedBy('sheet') } },
  page: {
    fields: schemas(ofTexts),
    relations: { sheet: ownedBy('sheet') },
    topLevel: true,
    search: { fields: names },
  },
  note: {
    fields: { text: Type.String() },
    relations: { about: needs.one('sheet'), page: knows.one('page'), sheets: knows.many('sheet') },
  },
})

describeOnBoth('a resource with 900 fields', (database) => {
  // With handlers, answers are not compared with the document, which takes minutes for so many fields.
  const service = useApp(database, resources, { plugin: { limits: { maxCost: 1_000_000 }, handlers: {} } })
  const before = each(ofAllKinds, 'value')
  const after = each(ofAllKinds, 'changed')
  const page = each(ofTexts, 'value')

  const addSheet = () => service.add('/api/sheet', { ...before, rows: [before], page })

  test('is created, changed and replaced with all that it owns', async () => {
    const sheet = await addSheet()
    const path = `/api/sheet/${sheet.id}`
    expect((await service.patch(path, after)).body).toMatchObject({ ...after, rows: [before] })
    const changed = each(ofTexts, 'changed')
    const wanted = { ...sheet, rows: [{ ...sheet.rows[0], ...after }, before], page: { ...sheet.page, ...changed } }
    expect((await service.put(path, wanted)).body).toMatchObject({ ...before, rows: [after, before], page: changed })
    expect((await service.put(path, await service.read(path))).status).toBe(200)
    expect((await service.patch('/api/sheet', [{ id: sheet.id, ...after }])).body.rows[0]).toMatchObject(after)
    expect((await service.patch(`${path}/row/${sheet.rows[0].id}`, before)).body).toMatchObject(before)
    expect((await service.delete(path)).status).toBe(204)
  })

  test('is shown by records that need or know it', async () => {
    const sheet = await addSheet()
    const body = { text: 'x', aboutId: sheet.id, pageId: sheet.page.id, sheets: [{ id: sheet.id }] }
    const note = await service.add('/api/note', body)
    expect(note).toMatchObject({ about: before, page, sheets: [before] })
    expect((await service.read('/api/note')).rows).toEqual([note])
    expect((await service.put(`/api/note/${note.id}`, note)).body).toEqual(note)
    expect((await service.delete(`/api/sheet/${sheet.id}`)).body.code).toBe('CRUD_ERR_STILL_NEEDED')
  })

  test('is found by all of its fields', async () => {
    const { id } = await addSheet()
    const compared = ofAllKinds.filter(([, kind]) => !kind.isInNoFilter)
    for (let from = 0; from < compared.length; from += 49) {
      const row = each(compared.slice(from, from + 49), 'value')
      const filter = encodeURIComponent(JSON.stringify({ rows: { some: row } }))
      expect((await service.read(`/api/sheet?filter=${filter}`)).rows).toMatchObject([{ id }])
    }
  })

  test('has all of its fields chosen', async () => {
    const { id } = await addSheet()
    const chosen = [...names, ...names.map((name) => `page.${name}`)].join()
    expect(await service.read(`/api/sheet/${id}?fields=${chosen}`)).toMatchObject({ ...before, page })
  })

  test('is searched in all of its texts', async () => {
    const sheet = await addSheet()
    expect((await service.read('/api/page?search=A')).rows).toMatchObject([{ id: sheet.page.id }])
    expect((await service.read('/api/page?search=b')).rows).toEqual([])
  })
})
