import { createClient } from '@fastify-crud/client'
import { refineLive } from '@fastify-crud/refine'
import type { LiveEvent } from '@refinedev/core'
import { describe, expect, test } from 'vitest'
import { describeOnBoth } from '../../../test/support/describe-on-databases.ts'
import { type lists, until, useLiveService } from '../../client/test/live-service.ts'

describeOnBoth('The live provider of Refine', (database) => {
  const service = useLiveService(database)

  test('tells lists, chosen records and chosen events of what others write, over one stream', async () => {
    const api = createClient<typeof lists>({ url: service.url })
    const shelves = [await api.shelf.create({ name: 'A' }), await api.shelf.create({ name: 'B' })]
    const [first, second] = shelves
    const live = refineLive(api)
    const heard: Record<string, LiveEvent[]> = { all: [], first: [], many: [], deleted: [] }
    const follow = (name: string, types: string[], params: Record<string, unknown>) =>
      live.subscribe({
        channel: 'resources/shelf',
        types,
        params,
        callback: (event) => heard[name]?.push(event),
      }) as unknown
    const subscriptions = [
      follow('all', ['*'], { resource: 'shelf', subscriptionType: 'useList' }),
      follow('first', ['*'], { resource: 'shelf', id: first?.id, subscriptionType: 'useOne' }),
      follow('many', ['*'], { ids: shelves.map(({ id }) => id), subscriptionType: 'useMany' }),
      follow('deleted', ['deleted'], {}),
    ]
    await until(() => service.streams().length === 1)
    await api.shelf.patch(first?.id as string, { name: 'C' })
    await api.shelf.delete(second?.id as string)
    await api.shelf.create({ name: 'D' })
    await until(() => heard.all?.length === 3)
    const told = Object.entries(heard).map(([name, events]) => [name, events.map(({ type }) => type)])
    expect(Object.fromEntries(told)).toEqual({
      all: ['updated', 'deleted', 'created'],
      first: ['updated'],
      many: ['updated', 'deleted'],
      deleted: ['deleted'],
    })
    const [edit] = heard.first as LiveEvent[]
    expect(edit).toEqual({
      channel: 'resources/shelf',
      type: 'updated',
      payload: { ids: [first?.id] },
      date: expect.any(Date),
    })
    live.publish(edit as LiveEvent)
    expect(heard.all).toHaveLength(3)
    for (const subscription of subscriptions) live.unsubscribe(subscription)
    await until(() => service.streams().length === 0)
  })

  test('says where changes behind it are gone that anything may have happened', async () => {
    let isGone = true
    const gone: typeof fetch = async (input, init) => {
      if (!isGone || !String(input).endsWith('/$changes')) return await fetch(input, init)
      isGone = false
      return Response.json({ code: 'CRUD_ERR_GONE' }, { status: 410 })
    }
    const live = refineLive(createClient<typeof lists>({ url: service.url, fetch: gone }))
    const event = await new Promise<LiveEvent>((callback) => {
      live.subscribe({ channel: 'resources/list', types: ['created'], params: { id: 1 }, callback })
    })
    expect(event).toMatchObject({ type: '*', payload: { ids: [] } })
  })
})

describe('A live provider', () => {
  test('refuses channels that the service has not', () => {
    const live = refineLive(createClient<typeof lists>({ url: 'http://localhost:1' }))
    const subscription = { channel: 'chat', types: ['*'], callback: () => {} }
    expect(() => live.subscribe(subscription)).toThrow("there is no channel 'chat', only 'resources/book'")
  })
})
