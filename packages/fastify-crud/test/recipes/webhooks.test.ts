import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { OpenDatabase } from '../../../../test/support/databases.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import { blocksOfSection, isCode } from '../../../../test/support/doc-pages.ts'
import { docScene, runExample } from '../../../../test/support/doc-scene.ts'
import type { JsonBody } from '../../../../test/support/json-body.ts'

interface Taken {
  readonly id: unknown
  readonly change: JsonBody
  readonly isSigned: boolean
}

/** The worker of the recipe, with what it declares. */
interface Worker {
  readonly store: JsonBody
  readonly ends: AbortController
  readonly working: Promise<void>
}

describeOnBoth('the recipe of webhooks', (database) => {
  let open: OpenDatabase
  let receiver: Server
  /** What the receiver answers next; then 204. */
  let statuses: number[]
  let taken: Taken[]
  let heard: () => void
  const secret = 'hush'

  beforeEach(async () => {
    open = await database.open()
    statuses = []
    taken = []
    heard = () => {}
    receiver = createServer(async (request: IncomingMessage, reply) => {
      const body = (await request.toArray()).join('')
      const { 'webhook-id': id, 'webhook-timestamp': time, 'webhook-signature': signature } = request.headers
      const isSigned = createHmac('sha256', secret).update(`${time}.${body}`).digest('hex') === signature
      const status = statuses.shift() ?? 204
      if (status === 204) taken.push({ id, change: JSON.parse(body), isSigned })
      reply.writeHead(status).end()
      heard()
    }).listen(0, '127.0.0.1')
    await once(receiver, 'listening')
  })
  afterEach(async () => {
    receiver.closeAllConnections()
    receiver.close()
    await open.close()
  })

  /** Runs the code of the page, up to where it ends. */
  async function start(): Promise<Worker> {
    const [block] = blocksOfSection('docs/recipes.md', 'Webhooks').filter(isCode)
    const [code] = (block?.text ?? '').split('await store.invoice.create')
    const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`
    const scene = { ...(await docScene()), db: open.db, receiver: { url, secret } }
    return (await runExample(`${code}\nreturn { store, ends, working }`, scene)) as Worker
  }

  async function until(count: number): Promise<readonly Taken[]> {
    while (taken.length < count) await new Promise<void>((resolve) => (heard = resolve))
    return taken
  }

  test('sends each change once it is stored, in their order, signed, and again until it is taken', async () => {
    statuses = [500, 204, 404]
    const { store, ends, working } = await start()
    for (const total of [1, 2, 3]) await store.invoice.create({ total })
    const all = await until(3)
    expect(all.map(({ change }) => change.changes[0].after.total)).toEqual([1, 2, 3])
    expect(all.every(({ isSigned }) => isSigned)).toBe(true)
    expect(new Set(all.map(({ id }) => id)).size).toBe(3)
    ends.abort()
    await working
  })

  test('goes on after a restart where it was', async () => {
    const first = await start()
    await first.store.invoice.create({ total: 1 })
    await until(1)
    first.ends.abort()
    await first.working
    await first.store.invoice.create({ total: 2 })
    const second = await start()
    const all = await until(2)
    // The first may come again, if the worker has ended before it had noted that.
    expect(all.at(-1)?.change.changes[0].after.total ?? 0).toBeLessThanOrEqual(2)
    while (taken.at(-1)?.change.changes[0].after.total !== 2) await until(taken.length + 1)
    second.ends.abort()
    await second.working
  })
})
