import { Type } from '@sinclair/typebox'
import { createStore, defineResources, needs, ownedBy, owns } from 'fastify-crud'
import { expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import { ada, asCaller, caller, type Policies } from './support/as-caller.ts'

const shelves = defineResources({
  book: { fields: { orgId: Type.Integer() }, relations: { chapters: owns.many('chapter'), lists: owns.many('list') } },
  chapter: {
    fields: { orgId: Type.Integer() },
    relations: { book: ownedBy('book'), notes: owns.many('note') },
  },
  note: { fields: { text: Type.String() }, relations: { chapter: ownedBy('chapter') } },
  list: { fields: {}, relations: { book: ownedBy('book'), items: owns.many('item') } },
  item: { fields: { text: Type.String() }, relations: { list: ownedBy('list') } },
  order: { fields: { orgId: Type.Integer() }, relations: { items: needs.many('item') } },
  quote: { fields: { orgId: Type.Integer() }, relations: { notes: needs.many('note') } },
})

const ofMyOrg: Policies[string] = ({ eb, my }) => eb('orgId', '=', my('org'))

const policies: Policies = {
  book: ofMyOrg,
  chapter: { View: ofMyOrg, Add: true, Edit: true, Delete: true },
  quote: ofMyOrg,
  order: ofMyOrg,
}

describeOnBoth('a delete that is blocked by what a visible row needs', (database) => {
  const service = useApp(database, shelves, { plugin: { caller, policies } })
  const client = asCaller(service, ada)

  const all = () => createStore({ db: service.db, resources: shelves })
  const needed = 'CRUD_ERR_STILL_NEEDED'

  test('does not name a row below a hidden one, which has no policy itself', async () => {
    const book = await all().book.create({ orgId: 1, chapters: [{ orgId: 2, notes: [{ text: 'zebra' }] }] })
    await all().quote.create({ orgId: 1, notes: [{ id: book.chapters[0]?.notes[0]?.id ?? 0 }] })
    const refused = { code: needed, detail: /^it is still needed$/, pointers: [] } as const
    await client.refuse('DELETE', `/api/book/${book.id}`, undefined, refused)
  })

  test('names a row of which no policy hides an owner', async () => {
    const book = await all().book.create({ orgId: 1, lists: [{ items: [{ text: 'ours' }] }] })
    const id = book.lists[0]?.items[0]?.id ?? 0
    await all().order.create({ orgId: 1, items: [{ id }] })
    const { detail } = await client.refuse('DELETE', `/api/book/${book.id}`, undefined, { code: needed })
    expect(detail).toBe(`item ${id} is still needed by 1 order record`)
  })
})
