import { setTimeout as wait } from 'node:timers/promises'
import { type Connection, connect } from './connect.ts'
import type { Requests } from './requests.ts'

export interface LoadOptions {
  readonly port: number
  /** The status of every answer. */
  readonly status: number
  /** Seconds of load before anything is counted. */
  readonly warmUp: number
  readonly seconds: number
  /** It does not sleep while it waits for answers. */
  readonly staysAwake: boolean
}

export interface LoadResult {
  readonly requests: number
  /** What was counted over: shorter than asked for if there was nothing left to ask. */
  readonly seconds: number
  readonly perSecond: number
  /** Milliseconds from request to answer. */
  readonly latency: { readonly p50: number; readonly p99: number; readonly max: number }
}

/**
 * Asks on as many connections as there are sources of requests, on each the next as soon as the last is answered.
 *
 * @throws Error for an answer with another status.
 */
export async function runLoad(
  { port, status, warmUp, seconds, staysAwake }: LoadOptions,
  sources: readonly Requests[],
): Promise<LoadResult> {
  const latencies: number[] = []
  let begin = Number.POSITIVE_INFINITY
  let end = Number.POSITIVE_INFINITY
  let last = 0

  const run = async (requests: Requests): Promise<void> => {
    let connection: Connection | undefined
    let sent = 0
    try {
      await new Promise<void>((resolve, reject) => {
        const ask = () => {
          const request = performance.now() < end ? requests.next() : undefined
          if (request === undefined) return resolve()
          sent = performance.now()
          connection?.send(request)
        }
        connect(
          port,
          (answer) => {
            const now = performance.now()
            if (answer.status !== status) return reject(new Error(`answered ${answer.status}: ${answer.body}`))
            if (now >= begin && now < end) {
              latencies.push(now - sent)
              last = now
            }
            try {
              requests.answered?.(answer)
              ask()
            } catch (error) {
              reject(error)
            }
          },
          reject,
        ).then((connected) => {
          connection = connected
          ask()
        }, reject)
      })
    } finally {
      connection?.close()
    }
  }

  const measure = async (): Promise<void> => {
    await wait(warmUp * 1000)
    begin = performance.now()
    // A machine that stands still for that long has answered nothing yet.
    do await wait(seconds * 1000)
    while (latencies.length === 0 && !isOver)
    end = performance.now()
  }
  let isOver = false
  measure()
  const stayAwake = () => {
    if (!isOver) setImmediate(stayAwake)
  }
  if (staysAwake) stayAwake()
  await Promise.all(sources.map(run)).finally(() => {
    isOver = true
  })
  if (latencies.length === 0) throw new Error('nothing was left to ask for when the warm-up was over')
  // The sources ran dry.
  if (end === Number.POSITIVE_INFINITY) end = last
  return resultOf(latencies, (end - begin) / 1000)
}

function resultOf(latencies: number[], seconds: number): LoadResult {
  latencies.sort((a, b) => a - b)
  const at = (share: number) => latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * share))] ?? 0
  return {
    requests: latencies.length,
    seconds,
    perSecond: latencies.length / seconds,
    latency: { p50: at(0.5), p99: at(0.99), max: at(1) },
  }
}
