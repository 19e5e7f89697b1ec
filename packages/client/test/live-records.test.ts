import { createClient } from '@fastify-crud/client'
import { createLiveRecords, type RecordsChanged } from '@fastify-crud/client/internal'
import { expect, test } from 'vitest'
import { describeOnBoth } from '../../../test/support/describe-on-databases.ts'
import { type lists, until, useLiveService } from './live-service.ts'

type Heard = [type: string, ids: readonly unknown[]]

describeOnBoth('The records that a provider follows', (database) => {
  const service = useLiveService(database)
  const clientOf = () => createClient<typeof lists>({ url: service.url })

  const filled = async () => {
    const api = clientOf()
    const shelf = await api.shelf.create({ name: 'A' })
    const item = (text: string) => ({ text, notes: [{ text: 'n' }] })
    const list = await api.list.create({ title: 'x', shelfId: shelf.id, items: [item('a'), item('b')], tags: [] })
    const other = await api.list.create({ title: 'y', shelfId: shelf.id, items: [], tags: [] })
    return { api, shelf, list, other }
  }

  test('are told as created, updated or deleted, with what they own and show, over one stream', async () => {
    const { api, shelf, list, other } = await filled()
    const live = createLiveRecords(api, { onError: (error) => expect.unreachable(String(error)) })
    const heard: Record<'list' | 'item' | 'shelf', Heard[]> = { list: [], item: [], shelf: [] }
    const note = (key: keyof typeof heard) => (event: RecordsChanged) => heard[key].push([event.type, event.ids])
    const ends = (['list', 'item', 'shelf'] as const).map((key) => live.follow(key, note(key)))
    await until(() => service.streams().length === 1)
    expect(service.streams()).toEqual(['/$changes'])
    const [first, second] = list.items

    const made = await api.list.create({ title: 'z', shelfId: shelf.id, items: [{ text: 'c', notes: [] }], tags: [] })
    await api.item.patch(first?.id as number, { text: 'changed' })
    await api.item.patch(first?.id as number, { notes: [{ text: 'deeper' }] })
    await api.item.patch(second?.id as number, { listId: other.id })
    await api.list.delete(other.id)
    await api.shelf.patch(shelf.id, { name: 'B' })
    await until(() => heard.shelf.length > 0)
    expect(heard.list).toEqual([
      ['created', [made.id]],
      ['updated', [list.id]],
      // A note says whose item it is of, and the list of that is not known; neither is that of an item that has moved.
      ['updated', []],
      ['updated', []],
      ['deleted', [other.id]],
      ['updated', []],
      ['updated', []],
    ])
    expect(heard.item).toEqual([
      ['created', [made.items[0]?.id]],
      ['updated', [first?.id]],
      ['updated', [first?.id]],
      ['updated', [second?.id]],
      ['deleted', [second?.id]],
    ])
    expect(heard.shelf).toEqual([['updated', [shelf.id]]])

    for (const end of ends.slice(1)) end()
    await api.list.patch(list.id, { title: 'still followed' })
    await until(() => heard.list.length === 8)
    expect(service.streams()).toHaveLength(1)
    ends[0]?.()
    await until(() => service.streams().length === 0)
  })

  test('keep their stream while one page takes the place of another', async () => {
    const { api, list } = await filled()
    service.requests()
    const live = createLiveRecords(api)
    const endFirst = live.follow('list', () => {})
    await until(() => service.streams().length === 1)
    endFirst()
    const heard: RecordsChanged[] = []
    const end = live.follow('shelf', () => {})
    const endOther = live.follow('list', (event) => heard.push(event))
    await api.list.patch(list.id, { title: 'changed' })
    await until(() => heard.length === 1)
    expect(service.requests().filter((one) => one.includes('$changes'))).toHaveLength(1)
    end()
    endOther()
    endOther()
    await until(() => service.streams().length === 0)
  })

  test('are not followed where the service tells of no changes, which is said once', async () => {
    const errors: unknown[] = []
    const live = createLiveRecords(clientOf(), { onError: (error) => errors.push(String(error)) })
    const ends = ['tag', 'tag', 'nothing'].map((key) => live.follow(key, () => {}))
    await until(() => errors.length === 2)
    expect(errors).toEqual([
      "TypeError: the service does not tell of changes of 'tag': the plugin needs `changes: true`, and the descriptor `history: true`",
      "TypeError: the service has no resource 'nothing' for this caller",
    ])
    for (const end of ends) end()
    expect(service.streams()).toEqual([])
  })
})
