import { createClient } from '@fastify-crud/client'
import { type RealtimeEvent, reactAdminLive, reactAdminProvider } from '@fastify-crud/react-admin'
import { expect, test } from 'vitest'
import { describeOnBoth } from '../../../test/support/describe-on-databases.ts'
import { type lists, until, useLiveService } from '../../client/test/live-service.ts'

describeOnBoth('A data provider of react-admin with realtime methods', (database) => {
  const service = useLiveService(database)

  test('tells lists and records of what others write, over one stream', async () => {
    const api = createClient<typeof lists>({ url: service.url })
    const provider = { ...reactAdminProvider(api), ...reactAdminLive(api) }
    const [first, second] = [await api.shelf.create({ name: 'A' }), await api.shelf.create({ name: 'B' })]
    const heard: RealtimeEvent[] = []
    const listener = (event: RealtimeEvent) => heard.push(event)
    const topics = ['resource/shelf', `resource/shelf/${first.id}`]
    for (const topic of topics) await provider.subscribe(topic, listener)
    await until(() => service.streams().length === 1)
    await provider.create('shelf', { data: { name: 'C' } })
    await provider.update('shelf', { id: first.id, data: { name: 'D' }, previousData: { id: first.id } })
    await provider.delete('shelf', { id: second.id })
    await until(() => heard.length === 4)
    expect(heard.map(({ topic, type }) => [topics.indexOf(topic), type])).toEqual([
      [0, 'created'],
      [0, 'updated'],
      [1, 'updated'],
      [0, 'deleted'],
    ])
    expect(heard[2]).toEqual({
      topic: topics[1],
      type: 'updated',
      payload: { ids: [first.id] },
      date: expect.any(Date),
    })
    await provider.publish('resource/shelf', heard[0])
    await provider.unsubscribe('resource/shelf', () => {})
    for (const topic of topics) {
      expect(service.streams()).toHaveLength(1)
      await provider.unsubscribe(topic, listener)
    }
    await until(() => service.streams().length === 0)
    expect(heard).toHaveLength(4)
  })

  test('refuses topics that the service has not', async () => {
    const { subscribe } = reactAdminLive(createClient<typeof lists>({ url: service.url }))
    await expect(subscribe('chat', () => {})).rejects.toThrow("there is no topic 'chat'")
    await expect(subscribe('resource/list/1/lock', () => {})).rejects.toThrow('there is no topic')
  })
})
