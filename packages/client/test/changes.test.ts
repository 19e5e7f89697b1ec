import { type Client, createClient, ServiceError } from '@fastify-crud/client'
import { changes } from '@fastify-crud/client/changes'
import { createQueries, live } from '@fastify-crud/client/query'
import type { RowChanged } from '@fastify-crud/core'
import type { LiveChange } from '@fastify-crud/core/types'
import { Type } from '@sinclair/typebox'
import { QueryClient, QueryObserver } from '@tanstack/query-core'
import { defineResources, ownedBy, owns } from 'fastify-crud'
import { afterEach, expect, test } from 'vitest'
import { describeOnBoth } from '../../../test/support/describe-on-databases.ts'
import { useService } from './use-service.ts'

const resources = defineResources({
  list: { fields: { title: Type.String() }, relations: { items: owns.many('item') }, history: true },
  item: { fields: { text: Type.String() }, relations: { list: ownedBy('list') } },
  tag: { fields: { name: Type.String() } },
})

let ends = new AbortController()
afterEach(() => {
  ends.abort()
  ends = new AbortController()
})

/** Follows in the background. `begun`: there is a stream. */
function follow(api: Client<typeof resources>, options: object = {}) {
  const got: LiveChange[] = []
  let heard = () => {}
  let error: unknown
  const done = (async () => {
    for await (const change of changes(api, { signal: ends.signal, ...options })) {
      got.push(change)
      heard()
    }
  })().catch((failure: unknown) => {
    error = failure
    heard()
  })
  return {
    got,
    done,
    async until(count: number) {
      while (got.length < count) {
        if (error !== undefined) throw error
        await new Promise<void>((resolve) => (heard = resolve))
      }
      return got
    },
  }
}

describeOnBoth('The changes of a client', (database) => {
  const service = useService(database, resources, { changes: { poll: 50 } })
  const clientOf = (options = {}) => createClient<typeof resources>({ url: service.url, ...options })
  /** Until the service has got requests for streams. */
  const untilFollowed = async (count = 1) => {
    for (let streams = 0; streams < count; ) {
      streams += service.requests().filter((one) => one.includes('/$changes')).length
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
  }

  test('are told as they happen, of all, of one resource and of one record', async () => {
    const api = clientOf()
    const known = await api.list.create({ title: 'known', items: [] })
    const [all, lists, one] = [
      follow(api),
      follow(api, { resource: 'list' }),
      follow(api, { resource: 'list', id: known.id }),
    ]
    await untilFollowed(3)
    await new Promise((resolve) => setTimeout(resolve, 200))
    await api.list.create({ title: 'new', items: [{ text: 'a' }] })
    await api.list.patch(known.id, { title: 'changed' })
    await Promise.all([all.until(2), lists.until(2), one.until(1)])
    expect(all.got.map(({ operation }) => operation)).toEqual(['create', 'patch'])
    expect(one.got).toMatchObject([{ changes: [{ action: 'Edit', after: { title: 'changed' } }] }])
  })

  test('go on where they were, however often the connection is lost', async () => {
    const api = clientOf()
    await api.list.create({ title: '0', items: [] })
    const { position } = ((await follow(api, { after: 0 }).until(1)) as LiveChange[])[0] as LiveChange
    let streams = 0
    const broken = async (input: string, init: RequestInit) => {
      const response = await fetch(input, init)
      if (!input.endsWith('/$changes')) return response
      streams += 1
      // Each stream but the last ends behind its first event that has data.
      if (streams > 3) return response
      const reader = (response.body as ReadableStream<Uint8Array>).getReader()
      const body = new ReadableStream<Uint8Array>({
        async pull(controller) {
          const { value } = await reader.read()
          controller.enqueue(value as Uint8Array)
          if (new TextDecoder().decode(value).includes('data:')) {
            await reader.cancel()
            controller.error(new TypeError('the connection was lost'))
          }
        },
      })
      return new Response(body, response)
    }
    const followed = follow(clientOf({ fetch: broken }), { after: position })
    for (const title of ['1', '2', '3', '4', '5']) await api.list.create({ title, items: [] })
    const got = await followed.until(5)
    expect(got.map(({ changes: [one] }) => (one as RowChanged).after?.title)).toEqual(['1', '2', '3', '4', '5'])
  })

  test('are refused where a position is none, and of resources without changes', async () => {
    const api = clientOf()
    await expect(follow(api, { after: 1_000_000_000 }).until(1)).rejects.toMatchObject({
      status: 410,
      code: 'CRUD_ERR_GONE',
    })
    await expect(follow(api, { resource: 'tag' }).until(1)).rejects.toThrow(TypeError)
    await expect(follow(api, { resource: 'list', id: 99_999 }).until(1)).rejects.toThrow(ServiceError)
  })

  test('make queries stale that show what others have written, and no others', async () => {
    const api = clientOf()
    const queryClient = new QueryClient({
      defaultOptions: { queries: { retry: false, staleTime: Number.POSITIVE_INFINITY } },
    })
    const q = createQueries(api, queryClient)
    const list = await api.list.create({ title: 'old', items: [] })
    const [lists, tags] = [q.list.find(list.id), q.tag.list()]
    await queryClient.fetchQuery(lists)
    await queryClient.fetchQuery(tags)
    const seen = new Promise<void>((resolve) => {
      const observer = new QueryObserver(queryClient, lists as never)
      observer.subscribe(({ data }) => {
        if ((data as { title?: string } | undefined)?.title === 'new') resolve()
      })
    })
    service.requests()
    const following = live(api, queryClient)
    await untilFollowed()
    await new Promise((resolve) => setTimeout(resolve, 200))
    await clientOf().list.patch(list.id, { title: 'new' })
    await seen
    expect(queryClient.getQueryState(tags.queryKey)?.isInvalidated).toBe(false)
    following.close()
    await following.ended
  })
})
