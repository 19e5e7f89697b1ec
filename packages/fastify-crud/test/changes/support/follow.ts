import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { FastifyInstance } from 'fastify'
import type { JsonBody } from '../../../../../test/support/json-body.ts'

/** An event that has data. */
export interface StreamEvent {
  readonly id: number
  readonly data: JsonBody
}

/** A client of a stream of changes. */
export interface Follower {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  /** The body, where it is no stream. */
  readonly problem: JsonBody
  readonly events: readonly StreamEvent[]
  /** The last id that it was told, also without data. */
  readonly lastId: () => number | undefined
  /** Resolves when so many events have come. Fails if the stream ends before. */
  until(count: number): Promise<readonly StreamEvent[]>
  /** Takes nothing more from the connection. */
  stopReading(): void
  /** Resolves when the service has ended the stream. */
  readonly ended: Promise<void>
  close(): void
}

/** The URL of a service, which listens from then on. */
export async function urlOf(fastify: FastifyInstance): Promise<string> {
  if (!fastify.server.listening) await fastify.listen({ port: 0, host: '127.0.0.1' })
  return `http://127.0.0.1:${(fastify.server.address() as AddressInfo).port}`
}

/** Follows a stream by a real connection. Resolves when its head has come, and where it begins. */
export async function follow(
  fastify: FastifyInstance,
  path: string,
  headers: Record<string, string> = {},
): Promise<Follower> {
  const sent = request(`${await urlOf(fastify)}${path}`, { headers, agent: false })
  sent.end()
  const [answer] = (await once(sent, 'response')) as [IncomingMessage]
  answer.setEncoding('utf8')
  if (answer.headers['content-type']?.startsWith('text/event-stream') !== true) {
    const text = (await answer.toArray()).join('')
    const status = answer.statusCode as number
    return { ...NOTHING, status, headers: answer.headers, problem: text === '' ? undefined : JSON.parse(text) }
  }
  const events: StreamEvent[] = []
  let lastId: number | undefined
  let rest = ''
  let isOver = false
  let heard = () => {}
  answer.on('data', (chunk: string) => {
    const parts = `${rest}${chunk}`.split('\n\n')
    rest = parts.pop() as string
    for (const part of parts) {
      const fields = new Map(
        part.split('\n').map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim()]),
      )
      const id = fields.get('id')
      const data = fields.get('data')
      if (id !== undefined) lastId = Number(id)
      if (data !== undefined) events.push({ id: Number(id), data: JSON.parse(data) })
    }
    heard()
  })
  const ended = new Promise<void>((resolve) => {
    const end = () => {
      isOver = true
      heard()
      resolve()
    }
    answer.on('end', end)
    answer.on('error', end)
    answer.on('close', end)
  })
  const wait = async (isDone: () => boolean) => {
    while (!isDone()) {
      if (isOver) throw new Error(`the stream has ended behind ${events.length} events`)
      await new Promise<void>((resolve) => {
        heard = resolve
      })
    }
  }
  await wait(() => lastId !== undefined)
  return {
    status: answer.statusCode as number,
    headers: answer.headers,
    problem: undefined,
    events,
    lastId: () => lastId,
    async until(count) {
      await wait(() => events.length >= count)
      return events
    },
    ended,
    stopReading: () => answer.socket.pause(),
    close: () => sent.destroy(),
  }
}

const NOTHING = {
  events: [],
  lastId: () => undefined,
  until: () => Promise.reject(new Error('there is no stream')),
  ended: Promise.resolve(),
  stopReading: () => {},
  close: () => {},
}
