import { createStore, defineResources, type Id, ownedBy, owns } from '@fastify-crud/core'
import { createTables } from '@fastify-crud/tables'
import { Type } from '@sinclair/typebox'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { OpenDatabase } from '../../../test/support/databases.ts'
import { describeOnBoth } from '../../../test/support/describe-on-databases.ts'

const text = Type.String()
const fields = { title: text, rank: Type.Optional(Type.Integer()), state: text }

function modelOf(search: { readonly fields: readonly ['title']; readonly index?: true }) {
  const searched = { fields, search, index: [['rank' as const]] }
  return defineResources(
    {
      team: { fields: { name: text } },
      book: searched,
      page: { id: 'uuid', ...searched },
      pair: { ...searched, id: ['place', 'side'], fields: { place: Type.Integer(), side: text, ...fields } },
      shelf: { fields: { name: text }, relations: { leaves: owns.many('leaf') } },
      leaf: { topLevel: true, relations: { shelf: ownedBy('shelf') }, ...searched },
    },
    { tenant: { resource: 'team' } },
  )
}

const indexed = modelOf({ fields: ['title'], index: true })
const plain = modelOf({ fields: ['title'] })

const records = Array.from({ length: 1_300 }, (_, index) => ({
  title: `${index % 10 === 0 ? 'a rare' : 'The COMMON'} ${index % 7 === 0 ? 'lamp' : 'word'} ${index}`,
  ...(index % 3 === 0 ? {} : { rank: index % 50 }),
  state: index % 2 === 0 ? 'in' : 'out',
}))
const AT_ONCE = 100

const searches = ['common', 'common lamp', 'common 9', 'co common', 'rare', 'nowhere', 'common nowhere']
const pages = [
  { limit: 100 },
  { limit: 100, count: 'none' },
  { limit: 7, offset: 500 },
  { limit: 3, offset: 2_000 },
  { limit: 5, offset: 50, count: 10 },
  { limit: 5, count: 2_000 },
  { limit: 50, filter: { state: 'in' }, count: 20 },
  { limit: 20, filter: { rank: 7 } },
  { limit: 100, sort: ['-id'] },
  { limit: 90, sort: ['rank'] },
  { limit: 90, sort: ['-rank', 'state'] },
  { limit: 100, sort: ['title'] },
]

interface Page {
  readonly rows: readonly { readonly id: Id; readonly title: string }[]
  readonly next?: string
}
type List = (options: object) => Promise<Page>

describeOnBoth('a search of a word that more than 1,000 records have', (database) => {
  let open: OpenDatabase
  let teams: readonly Id[]
  const shelfOf = new Map<Id, number>()

  const storeOf = (model: typeof indexed) => createStore({ db: open.db, resources: model })
  const ofCaller = (model: typeof indexed, tenant: Id) =>
    createStore({
      db: open.db,
      resources: model,
      policies: { team: true, book: true, page: ({ eb }) => eb('state', '=', 'out'), pair: true, shelf: true },
    }).as({ id: 1 }, { tenant })

  beforeAll(async () => {
    open = await database.open()
    await createTables(open.db, indexed)
    const system = storeOf(indexed).asSystem()
    teams = (await system.team.createMany([{ name: 'one' }, { name: 'two' }])).rows.map(({ id }) => id)
    for (const [index, tenant] of teams.entries()) {
      const { book, page, pair, shelf } = storeOf(indexed).asSystem({ tenant })
      // The other tenant has fewer than 1,000.
      const own = index === 0 ? records : records.slice(0, 200)
      for (let from = 0; from < own.length; from += AT_ONCE) {
        const some = own.slice(from, from + AT_ONCE)
        await book.createMany(some)
        await page.createMany(some)
        await pair.createMany(some.map((one, n) => ({ place: (from + n) >> 1, side: n % 2 === 0 ? 'a' : 'b', ...one })))
        const { id } = await shelf.create({ name: `shelf ${from}`, leaves: some })
        shelfOf.set(tenant, id)
      }
    }
  }, 240_000)
  afterAll(() => open?.close())

  const lists: Record<string, (store: ReturnType<typeof ofCaller>, tenant: Id) => unknown> = {
    'integers as ids': ({ book }) => book.list,
    'uuids, and a policy': ({ page }) => page.list,
    'several parts in ids': ({ pair }) => pair.list,
    'owners, in the list of all': ({ leaf }) => leaf.list,
    'an owner, in its list': ({ shelf }, tenant) => shelf.owned(shelfOf.get(tenant) as number, 'leaves').list,
  }

  describe.each(Object.entries(lists))('of records with %s', (_, listOf) => {
    const bothLists = (tenant: Id) =>
      ([indexed, plain] as const).map((model) => listOf(ofCaller(model, tenant), tenant)) as [List, List]

    test('finds the same pages as without an index', { timeout: 120_000 }, async () => {
      let found = 0
      for (const [list, slowly] of teams.map(bothLists)) {
        for (const search of searches) {
          for (const options of pages) {
            const expected = await slowly({ ...options, search })
            expect(await list({ ...options, search }), JSON.stringify({ search, options })).toEqual(expected)
            found += expected.rows.length
          }
        }
      }
      expect(found).toBeGreaterThan(500)
    })

    test('goes on behind a cursor', { timeout: 120_000 }, async () => {
      for (const [list, slowly] of teams.map(bothLists)) {
        for (const search of ['common', 'rare']) {
          for (const sort of [[], ['-id'], ['rank'], ['-rank', 'state']]) {
            const options = { search, limit: 70, ...(sort.length > 0 && { sort }) }
            for (let after: string | undefined; ; ) {
              const at = { ...options, ...(after && { after }) }
              const expected = await slowly(at)
              expect(await list(at), JSON.stringify(at)).toEqual(expected)
              if (expected.next === undefined) break
              after = expected.next
            }
          }
        }
      }
    })
  })
})
