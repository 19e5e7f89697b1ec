import { createStore } from '@fastify-crud/core'
import { Type } from '@sinclair/typebox'
import { type AccessQuestion, defineResources, knows, needs, ownedBy, owns } from 'fastify-crud'
import { beforeEach, expect, test } from 'vitest'
import { type TestApp, useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../test/support/json-body.ts'
import { writesIn } from '../../../../test/support/statement-log.ts'

const name = Type.String()

const library = { fields: { name }, relations: { shelves: owns.many('shelf'), rules: owns.many('rule') } } as const
const shelf = {
  fields: { name },
  relations: { library: ownedBy('library'), books: owns.many('book'), lamp: owns.one('lamp'), tags: knows.many('tag') },
} as const
const lamp = { fields: { name }, relations: { shelf: ownedBy('shelf'), bulbs: owns.many('bulb') } } as const

const others = {
  rule: { fields: { name }, relations: { library: ownedBy('library'), tag: needs.one('tag', { optional: true }) } },
  book: { fields: { name }, relations: { shelf: ownedBy('shelf'), pages: owns.many('page') } },
  page: { fields: { name }, relations: { book: ownedBy('book') } },
  bulb: { fields: { name }, relations: { lamp: ownedBy('lamp') } },
  loan: { fields: { name }, relations: { book: needs.one('book') } },
  tag: { fields: { name } },
} as const

const all = defineResources({ library, shelf, lamp, ...others })
const libraries = defineResources({
  library: { ...library, defaultInclude: ['shelves'] },
  shelf: { ...shelf, defaultInclude: ['lamp'] },
  lamp: { ...lamp, defaultInclude: [] },
  ...others,
})

const named = (name: string, more: object = {}) => ({ name, ...more })

/** A library of two shelves with books, lamps and tags. */
function useLibrary(service: TestApp) {
  const one = {
    path: '',
    /** As its creation was answered. */
    shown: {} as JsonBody,
    tag: {} as JsonBody,
    /** The record with all of its relations. */
    everything: (): Promise<JsonBody> =>
      createStore({ db: service.db, resources: all }).library.find(one.shown.id) as Promise<JsonBody>,
  }
  beforeEach(async () => {
    one.tag = await service.add('/api/tag', named('tag'))
    const tags = [{ id: one.tag.id }]
    one.shown = await service.add(
      '/api/library',
      named('library', {
        shelves: [
          named('a', { books: [named('a1', { pages: [named('p1'), named('p2')] }), named('a2')], tags }),
          named('b', { books: [named('b1', { pages: [named('p3')] })], lamp: named('l', { bulbs: [named('u')] }) }),
        ],
        rules: [named('silence')],
      }),
    )
    one.path = `/api/library/${one.shown.id}`
  })
  return one
}

describeOnBoth('defaultInclude of owned records', (database) => {
  const service = useApp(database, libraries)
  const one = useLibrary(service)

  const rows = async () => {
    const { book, page, bulb, lamp, shelf } = await service.snapshot()
    return [shelf, book, page, lamp, bulb].map((table) => table?.length)
  }

  test('says what they carry wherever they are shown', async () => {
    const [a, b] = one.shown.shelves
    expect(one.shown).toEqual({ id: one.shown.id, name: 'library', shelves: [a, b] })
    expect(a).toEqual({ id: a.id, name: 'a', lamp: null })
    expect(b).toEqual({ id: b.id, name: 'b', lamp: { id: b.lamp.id, name: 'l' } })
    expect((await service.read(`${one.path}/shelf`)).rows).toEqual([a, b])
    expect(await service.read(`${one.path}/shelf/${b.id}/lamp`)).toEqual({ rows: [b.lamp], count: 1 })
  })

  test('lets a PUT leave alone what they do not carry, and add, change and remove them', async () => {
    const before = await one.everything()
    const [a] = one.shown.shelves
    const body = { ...one.shown, shelves: [{ ...a, name: 'A' }, named('c', { books: [named('c1')] })] }
    const { body: after } = await service.put(one.path, body)
    expect(after).toEqual({
      ...one.shown,
      shelves: [{ ...a, name: 'A' }, named('c', { id: expect.any(Number), lamp: null })],
    })
    const { shelves, rules } = await one.everything()
    expect(rules).toEqual(before.rules)
    expect(shelves[0]).toEqual({ ...before.shelves[0], name: 'A' })
    expect(shelves[1]).toMatchObject({ books: [{ name: 'c1', pages: [] }], tags: [] })
    expect(await rows()).toEqual([2, 3, 2, 0, 0])
  })

  test('lets what they own go with them, carried or not', async () => {
    expect(await rows()).toEqual([2, 3, 3, 1, 1])
    const [, b] = one.shown.shelves
    expect((await service.patch(one.path, { shelves: [{ id: b.id, lamp: null }] })).status).toBe(200)
    expect(await rows()).toEqual([2, 3, 3, 0, 0])
    expect((await service.put(one.path, { ...one.shown, shelves: [{ ...b, lamp: null }] })).status).toBe(200)
    expect(await rows()).toEqual([1, 1, 1, 0, 0])
    expect((await service.delete(one.path)).status).toBe(204)
    expect(await rows()).toEqual([0, 0, 0, 0, 0])
  })

  test('does not let a record go with them that another one needs', async () => {
    const before = await one.everything()
    const [a, b] = one.shown.shelves
    await service.add('/api/loan', named('loan', { bookId: before.shelves[0].books[1].id }))
    const refused = { code: 'CRUD_ERR_STILL_NEEDED', pointers: ['/shelves'] } as const
    await service.refuse('PUT', one.path, { ...one.shown, shelves: [b] }, refused)
    expect((await service.put(one.path, { ...one.shown, shelves: [a] })).status).toBe(200)
  })

  test('lets a body name what some of them do not carry, and leave it out of others', async () => {
    const before = await one.everything()
    const [a, b] = before.shelves
    const [a1] = a.books
    const shelves = [
      { id: a.id, name: 'a', books: [{ ...a1, pages: [a1.pages[1]] }, named('a3')] },
      { id: b.id, name: 'B', lamp: b.lamp },
    ]
    expect((await service.put(one.path, named('library', { shelves }))).status).toBe(200)
    const after = await one.everything()
    expect(after).toEqual({
      ...before,
      shelves: [
        { ...a, books: [{ ...a1, pages: [a1.pages[1]] }, named('a3', { id: expect.any(Number), pages: [] })] },
        { ...b, name: 'B' },
      ],
    })
    expect((await service.put(one.path, after)).status).toBe(200)
    expect(await one.everything()).toEqual(after)
  })

  test('lets a PUT of all relations write nothing if nothing differs', async () => {
    const body = await one.everything()
    const statements = await service.statements(async () => {
      expect(await service.put(one.path, body)).toMatchObject({ status: 200, body: one.shown })
      expect(await service.patch(one.path, { rules: body.rules })).toMatchObject({ status: 200, body: one.shown })
    })
    expect(writesIn(statements)).toEqual([])
  })

  test('refuses ids that are not those of the record, carried or not', async () => {
    const [a, b] = (await one.everything()).shelves
    const body = named('library', { shelves: [{ ...a, books: b.books }, b] })
    const refused = { code: 'CRUD_ERR_UNKNOWN_REFERENCE', pointers: ['/shelves/0/books/0/id'] } as const
    await service.refuse('PUT', one.path, body, refused)
  })

  test('does not keep them from being counted as affected', async () => {
    const prefer = (most: number) => ({ prefer: `max-affected=${most}` })
    const [, b] = one.shown.shelves
    const body = { ...one.shown, shelves: [b] }
    // A shelf, two books, two pages.
    expect((await service.request('PUT', one.path, body, prefer(4))).status).toBe(400)
    expect((await service.request('PUT', one.path, body, prefer(5))).status).toBe(200)
    // A rule that is added, and one that is removed.
    expect((await service.request('PUT', one.path, { ...body, rules: [named('new')] }, prefer(1))).status).toBe(400)
    expect((await service.request('PUT', one.path, { ...body, rules: [named('new')] }, prefer(2))).status).toBe(200)
  })
})

describeOnBoth('`authorize` and what a record does not carry', (database) => {
  let hidden: readonly string[] = []
  let asked: string[] = []
  const authorize = (_request: unknown, { action, resource }: AccessQuestion) => {
    asked.push(`${action} ${resource}`)
    return action !== 'View' || !hidden.includes(resource)
  }
  const service = useApp(database, libraries, { plugin: { authorize } })
  const one = useLibrary(service)
  beforeEach(() => {
    hidden = []
  })

  async function questionsOf(run: () => Promise<unknown>): Promise<readonly string[]> {
    asked = []
    await run()
    return asked.toSorted()
  }

  const sorted = (...questions: readonly string[]) => questions.toSorted()
  const ofRecord = ['View lamp', 'View library', 'View shelf']

  test('nobody is asked about it where an answer does not show it', async () => {
    expect(await questionsOf(() => service.read(one.path))).toEqual(sorted(...ofRecord))
    expect(await questionsOf(() => service.read('/api/library'))).toEqual(sorted(...ofRecord))
    const patch = () => service.patch(one.path, { name: 'x' })
    expect(await questionsOf(patch)).toEqual(sorted('Edit library', ...ofRecord))
  })

  test('is asked about where a body names it, or a filter, or where it is removed', async () => {
    const patch = () => service.patch(one.path, { rules: [named('r', { tagId: one.tag.id })] })
    expect(await questionsOf(patch)).toEqual(sorted('Add rule', 'Edit library', ...ofRecord, 'View rule', 'View tag'))
    const list = () => service.read('/api/library?filter[rules.name]=x')
    expect(await questionsOf(list)).toEqual(sorted(...ofRecord, 'View rule'))
    const put = () => service.put(one.path, { ...one.shown, shelves: [] })
    const removed = ['bulb', 'book', 'lamp', 'page', 'shelf'].map((resource) => `Delete ${resource}`)
    expect(await questionsOf(put)).toEqual(sorted(...removed, 'Edit library', ...ofRecord))
  })

  test('is asked about where `include` adds it, with what it carries', async () => {
    const included = () => service.read(`${one.path}?include=rules`)
    expect(await questionsOf(included)).toEqual(sorted(...ofRecord, 'View rule', 'View tag'))
    const fields = () => service.read(`${one.path}?fields=rules.name`)
    expect(await questionsOf(fields)).toEqual(sorted(...ofRecord, 'View rule'))
    hidden = ['tag']
    const { rules } = await included()
    expect(rules).toEqual([{ id: expect.any(Number), name: 'silence', tagId: null }])
    hidden = ['rule']
    await service.refuse('GET', `${one.path}?include=rules`, undefined, { code: 'CRUD_ERR_INVALID' })
  })

  test('is not there for a request that may not see it', async () => {
    hidden = ['rule', 'tag', 'bulb']
    const before = await one.everything()
    expect(await service.read(one.path)).toEqual(one.shown)
    const [a, b] = one.shown.shelves
    const tags = [{ id: one.tag.id }]
    const unknown = (pointer: string) => ({ code: 'CRUD_ERR_UNKNOWN_REFERENCE', pointers: [pointer] }) as const
    await service.refuse('PATCH', one.path, { rules: [{ id: before.rules[0].id, name: 'x' }] }, unknown('/rules/0/id'))
    await service.refuse('PATCH', one.path, { shelves: [{ id: b.id, tags }] }, unknown('/shelves/0/tags/0/id'))
    await service.refuse('GET', '/api/library?filter[rules.name]=x', undefined, { code: 'CRUD_ERR_INVALID' })
    const body = { ...one.shown, rules: [], shelves: [{ ...a, tags: [] }, b] }
    expect(await service.put(one.path, body)).toMatchObject({ status: 200, body: one.shown })
    expect(await one.everything()).toEqual(before)
  })
})

describeOnBoth('what a record does not carry', (database) => {
  const service = useApp(database, libraries, { plugin: { limits: { maxAnswer: 2_000 } } })

  test('may be too large for an answer, and the record is read and written nevertheless', async () => {
    const { id } = await service.add('/api/library', named('library', { shelves: [named('a')] }))
    const path = `/api/library/${id}`
    for (let index = 0; index < 20; index++) await service.add(`${path}/rule`, named('r'.repeat(100)))
    const shown = await service.read(path)
    expect((await service.put(path, { ...shown, name: 'b' })).body).toEqual({ ...shown, name: 'b' })
    expect((await service.patch(path, { shelves: [named('b', { books: [named('b1')] })] })).status).toBe(200)
    const { shelves } = await service.read(path)
    const patched = await service.patch(path, { shelves: [{ id: shelves[1].id, books: [named('b2')] }] })
    expect(patched).toMatchObject({ status: 200, body: { name: 'b', shelves } })
    await service.refuse('PATCH', path, { rules: [named('r')] }, { code: 'CRUD_ERR_TOO_LARGE' })
  })
})
