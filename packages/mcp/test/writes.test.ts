import { Type } from '@sinclair/typebox'
import {
  createStore,
  createTables,
  crudPlugin,
  defineActions,
  defineResources,
  needs,
  ownedBy,
  owns,
  type RecordOf,
  type Store,
} from 'fastify-crud'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { describeOnBoth } from '../../../test/support/describe-on-databases.ts'
import { type Agent, startAgent } from './agent.ts'

const model = defineResources({
  list: { fields: { title: Type.String() }, relations: { items: owns.many('item') }, history: true },
  item: { fields: { text: Type.String() }, relations: { list: ownedBy('list') } },
  note: { fields: { text: Type.String() }, relations: { item: needs.one('item') } },
})

const actions = defineActions(model, {
  list: {
    clear: {
      asks: 'Edit',
      run: async ({ id, store }) => void (await store.list.patch(id, { title: 'cleared' })),
    },
    peek: { asks: 'View', method: 'GET', answer: Type.String(), run: () => 'x' },
  },
})

describeOnBoth('the tools that write', (setup) => {
  let agent: Agent
  let store: Store<typeof model>
  let close: () => Promise<void>
  let list: RecordOf<typeof model, 'list'>

  beforeEach(async () => {
    const database = await setup.open()
    const { db } = database
    await createTables(db, model)
    store = createStore({ db, resources: model })
    list = await store.list.create({ title: 'home', items: [{ text: 'milk' }, { text: 'eggs' }] })
    agent = await startAgent(async (app) => {
      await app.register(crudPlugin, { db, resources: model, actions, authorize: (_, { action }) => action !== 'Add' })
    })
    close = () => database.close()
  })

  afterEach(async () => {
    await agent.close()
    await close()
  })

  const [resource, owners] = ['list', undefined]
  const put = () => {
    const [milk] = list.items
    return {
      resource,
      operation: 'replace',
      id: list.id,
      body: { title: 'home', items: [{ ...milk, text: 'oat milk' }] },
    }
  }
  const tagOf = (text: string): string => JSON.parse(text.slice(0, text.indexOf('\n'))).tag

  test('a preview says what a write would do to related records, and changes nothing', async () => {
    const [milk, eggs] = list.items
    const text = await agent.read('preview', put())
    expect(text.split('\n').slice(1, 4)).toEqual([
      'changes item: 1; deletes item: 1',
      `- changes item ${milk?.id} of list ${list.id}: text "milk" → "oat milk"`,
      `- deletes item ${eggs?.id} of list ${list.id} (the body leaves it out)`,
    ])
    const [edit, removal] = JSON.parse(text.slice(text.lastIndexOf('\n')))
    expect(edit).toMatchObject({ action: 'Edit', before: { text: 'milk' }, after: { text: 'oat milk' } })
    expect(removal).toMatchObject({ action: 'Delete', before: { text: 'eggs' } })
    expect(await store.list.find(list.id)).toEqual(list)
  })

  test('a confirmed write does exactly that', async () => {
    const tag = tagOf(await agent.read('preview', put()))
    const done = await agent.read('confirm', { ...put(), tag })
    const [first, summary] = done.split('\n') as [string, string]
    expect(JSON.parse(first)).toEqual({ done: true, write: expect.any(String) })
    expect(summary).toBe('changes item: 1; deletes item: 1')
    expect((await store.list.find(list.id)).items.map(({ text }) => text)).toEqual(['oat milk'])
  })

  test('a write that would do something else by now is not done', async () => {
    const tag = tagOf(await agent.read('preview', put()))
    await store.list.owned(list.id, 'items').create({ text: 'salt' })
    const refused = await agent.refused('confirm', { ...put(), tag })
    expect(refused).toContain('nothing was done, as it would do something else by now')
    expect(refused).toContain('deletes item: 2')
    expect((await store.list.find(list.id)).items.length).toBe(3)
  })

  test('actions, writes by a filter and deletes are previewed and confirmed alike', async () => {
    for (const input of [
      { resource, operation: 'act', id: list.id, action: 'clear' },
      { resource, operation: 'patch', filter: { title: { startsWith: 'c' } }, most: 5, body: { title: 'by filter' } },
      { resource: 'item', owners: { list_id: list.id }, operation: 'delete', id: list.items[0]?.id },
    ]) {
      const tag = tagOf(await agent.read('preview', input))
      expect(await agent.read('confirm', { ...input, tag })).toContain('"done":true')
    }
    const after = await store.list.find(list.id)
    expect([after.title, after.items.length]).toEqual(['by filter', 1])
  })

  test('what the service refuses is refused, with what is in the way', async () => {
    await store.note.create({ text: 'n', itemId: list.items[0]?.id as number })
    expect(await agent.refused('preview', { resource, operation: 'delete', id: list.id })).toMatch(
      /^409 CRUD_ERR_STILL_NEEDED .*\n- 1 note \(item\) need it$/,
    )
    const add = { resource, operation: 'create', body: { title: 'new' } }
    expect(await agent.refused('preview', add)).toMatch(/^403 CRUD_ERR_FORBIDDEN/)
  })

  test('input that says too little is refused before the service is asked', async () => {
    const wrong = (input: object) => agent.refused('preview', { resource, owners, ...input })
    expect(await wrong({ operation: 'patch', body: {} })).toBe('id: patch is about one record')
    expect(await wrong({ operation: 'patch', id: list.id })).toBe('body: patch needs one')
    expect(await wrong({ operation: 'act', id: list.id, action: 'burn' })).toBe(
      'action: name an action of list; there are clear, peek',
    )
    expect(await wrong({ operation: 'act', id: list.id, action: 'peek' })).toContain('changes nothing')
  })

  test('read the history of a record, and undo a write of it behind a preview', async () => {
    await store.list.patch(list.id, { title: 'garden' })
    const { rows } = JSON.parse(await agent.read('history', { resource: 'list', id: list.id }))
    expect(rows.map(({ operation }: { operation: string }) => operation)).toEqual(['patch', 'create'])
    const then = { resource: 'list', id: list.id, at: '2999-01-01T00:00:00Z' }
    expect(JSON.parse(await agent.read('get', then)).title).toBe('garden')
    expect(await agent.refused('get', { ...then, at: '1970-01-01T00:00:00Z' })).toMatch(/^404/)
    const undo = { resource: 'list', operation: 'undo', id: list.id, write: rows[0].write }
    const shown = await agent.read('preview', undo)
    expect(shown).toContain('home')
    const { tag } = JSON.parse(shown.slice(0, shown.indexOf('\n')))
    expect((await store.list.find(list.id)).title).toBe('garden')
    await agent.read('confirm', { ...undo, tag })
    expect((await store.list.find(list.id)).title).toBe('home')
    expect(await agent.refused('preview', { resource: 'list', operation: 'undo', id: list.id })).toContain('write')
  })
})
