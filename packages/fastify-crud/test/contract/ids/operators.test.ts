import { Type } from '@sinclair/typebox'
import { defineResources, type IdDeclaration, neededBy, needs, ownedBy, owns } from 'fastify-crud'
import { expect, test } from 'vitest'
import { type TestApp, useApp } from '../../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../../test/support/describe-on-databases.ts'
import { chosenKinds } from './kinds.ts'

const PARTS: readonly IdDeclaration[] = [
  ['place', 'number'],
  ['code', 'day'],
  ['number', 'code', 'moment'],
]

/** `entry` has ids of the kind. Each of two notes has none or one, and each of two logs none or two of its own. */
function modelOf(id: IdDeclaration) {
  const fields = {
    code: Type.String({ maxLength: 20 }),
    number: Type.Integer(),
    day: Type.String({ format: 'date' }),
    moment: Type.String({ format: 'date-time' }),
    text: Type.String(),
  }
  const place = needs.one('place')
  return defineResources({
    place: { fields: { name: Type.String() } },
    note: { fields: { text: Type.String() }, relations: { entry: neededBy.one('entry') }, groups: true },
    entry: { id, fields, relations: { place, note: needs.one('note', { unique: true }) }, groups: true },
    log: { fields: { text: Type.String() }, relations: { lines: owns.many('line') }, groups: true },
    line: { id, fields, relations: { place, log: ownedBy('log') }, topLevel: true, groups: true },
  })
}

const kinds = [
  ...chosenKinds().map(({ title, id, next }) => ({ title, id, next })),
  ...PARTS.map((id) => ({ title: `of ${String(id)}`, id, next: undefined })),
]

for (const { title, id, next } of kinds) {
  describeOnBoth(`ids: ${title}`, (database) => {
    const service = useApp(database, modelOf(id))

    const fill = async () => {
      const place = await service.add('/api/place', { name: 'here' })
      const body = (number: number) => ({
        ...(next && { id: next() }),
        ...{ code: `c,${number}`, number, day: `2024-01-0${number}`, moment: `2024-01-0${number}T10:00:00Z` },
        ...{ text: 'a', placeId: place.id },
      })
      const [note, bare] = [
        await service.add('/api/note', { text: 'a' }),
        await service.add('/api/note', { text: 'b' }),
      ]
      const other = await service.add('/api/note', { text: 'c' })
      const entries = [
        await service.add('/api/entry', { ...body(1), noteId: note.id }),
        await service.add('/api/entry', { ...body(2), noteId: other.id }),
      ]
      const log = await service.add('/api/log', { text: 'a', lines: [body(3), body(4)] })
      const empty = await service.add('/api/log', { text: 'b' })
      const lines = (await service.read('/api/line')).rows
      return { notes: { note, bare, other }, entries, logs: { log, empty }, lines }
    }

    test('are compared by every operator, at every end of a path', async () => {
      const { notes, entries, logs, lines } = await fill()
      const ids = entries.map((one) => one.id)
      const sorted = (await service.read('/api/entry?sort=id')).rows.map((one: { id: unknown }) => one.id)
      const [first, last] = sorted
      expect([...sorted].sort()).toEqual([...ids].sort())
      const found = async (resource: string, filter: object) => {
        const asked = encodeURIComponent(JSON.stringify(filter))
        const { rows, count } = await service.read(`/api/${resource}?sort=id&filter=${asked}`)
        expect(count).toBe(rows.length)
        return rows.map((one: { id: unknown }) => one.id)
      }
      expect(await found('entry', { id: first })).toEqual([first])
      expect(await found('entry', { id: { ne: first } })).toEqual([last])
      expect(await found('entry', { id: { in: [first, last] } })).toEqual([first, last])
      expect(await found('entry', { id: { in: [] } })).toEqual([])
      expect(await found('entry', { id: { nin: [first] } })).toEqual([last])
      expect(await found('entry', { id: { null: true } })).toEqual([])
      expect(await found('entry', { id: { null: false } })).toEqual([first, last])
      expect(await found('entry', { not: { id: { null: false } } })).toEqual([])
      expect(await found('note', { 'entry.id': ids[0] })).toEqual([notes.note.id])
      expect(await found('note', { 'entry.id': { ne: ids[0] } })).toEqual([notes.bare.id, notes.other.id])
      expect(await found('note', { 'entry.id': { in: ids } })).toEqual([notes.note.id, notes.other.id])
      expect(await found('note', { 'entry.id': { nin: ids } })).toEqual([notes.bare.id])
      expect(await found('note', { 'entry.id': { null: true } })).toEqual([notes.bare.id])
      expect(await found('note', { 'entry.id': { null: false } })).toEqual([notes.note.id, notes.other.id])
      expect(await found('log', { lines: { some: { id: { null: false } } } })).toEqual([logs.log.id])
      expect(await found('log', { lines: { every: { id: { null: true } } } })).toEqual([logs.empty.id])
      expect(await found('log', { lines: { none: { id: { null: false } } } })).toEqual([logs.empty.id])
      expect(
        await found('line', { 'log.id': logs.log.id, id: { in: lines.map((one: { id: unknown }) => one.id) } }),
      ).toHaveLength(2)
      const shortIds = (await service.read(`/api/log/${logs.log.id}/line`)).rows.map((one: { id: unknown }) => one.id)
      expect(await found(`log/${logs.log.id}/line`, { id: { in: shortIds, null: false } })).toHaveLength(2)
      for (const operator of ['lt', 'lte', 'gt', 'gte'])
        expect([200, 400]).toContain((await filtered(service, 'GET', 'entry', { id: { [operator]: first } })).status)
    })

    test('are counted in groups', async () => {
      await fill()
      const counts = 'values=count(id),countDistinct(id)'
      for (const resource of ['entry', 'line'])
        expect((await service.read(`/api/${resource}/$group?by=text&${counts}`)).rows).toEqual([
          { text: 'a', 'count(id)': 2, 'countDistinct(id)': 2 },
        ])
      const having = encodeURIComponent('{"countDistinct(entry.id)":{"gt":0}}')
      const grouped = `/api/note/$group?by=text&values=count(entry.id),countDistinct(entry.id)&sort=text`
      const rows = ['a', 'b', 'c'].map((text) => {
        const count = text === 'b' ? 0 : 1
        return { text, 'count(entry.id)': count, 'countDistinct(entry.id)': count }
      })
      expect((await service.read(grouped)).rows).toEqual(rows)
      expect((await service.read(`${grouped}&having=${having}`)).rows).toEqual([rows[0], rows[2]])
      const all = '/api/note/$group?values=count(entry.id),countDistinct(entry.id),countDistinct(entry.placeId)'
      expect((await service.read(all)).rows).toEqual([
        { 'count(entry.id)': 2, 'countDistinct(entry.id)': 2, 'countDistinct(entry.placeId)': 1 },
      ])
    })

    test('choose the records of a write by filter', async () => {
      const { entries } = await fill()
      const write = (method: string, filter: object, body?: object) => filtered(service, method, 'entry', filter, body)
      for (const filter of [
        { id: { null: false } },
        { id: { in: entries.map(({ id }) => id) } },
        { 'note.entry.id': { null: false } },
      ])
        expect((await write('PATCH', filter, { text: JSON.stringify(filter) })).body).toEqual({ count: 2 })
      expect((await write('PATCH', { id: { null: true } }, { text: 'x' })).body).toEqual({ count: 0 })
      expect((await write('DELETE', { id: { nin: [entries[0].id], null: false } })).body).toEqual({ count: 1 })
      expect((await write('DELETE', { id: { null: false } })).body).toEqual({ count: 1 })
    })
  })
}

function filtered(service: TestApp, method: string, resource: string, filter: object, body?: object) {
  const path = `/api/${resource}?filter=${encodeURIComponent(JSON.stringify(filter))}`
  return service.request(method, path, body, method === 'GET' ? {} : { prefer: 'max-affected=10' })
}
