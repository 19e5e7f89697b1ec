import { useSyncExternalStore } from 'react'

/** A request that the page has sent, for the drawer that shows them. */
export interface SentRequest {
  readonly number: number
  readonly method: string
  /** Behind the service's URL, with its query. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: unknown
  /** Undefined while there is no answer; 0 if there was none. */
  readonly status?: number
  readonly milliseconds?: number
  readonly answer?: string
}

/** As many are kept. */
const MOST = 200
/** Longer answers are cut in the drawer. */
const LONGEST = 20_000

const listeners = new Set<() => void>()
let requests: readonly SentRequest[] = []
let last = 0

function tell(next: readonly SentRequest[]): void {
  requests = next
  for (const listener of listeners) listener()
}

export function noteRequest(request: Omit<SentRequest, 'number'>): number {
  last += 1
  tell([{ ...request, number: last }, ...requests].slice(0, MOST))
  return last
}

export function noteAnswer(number: number, status: number, milliseconds: number, answer: string): void {
  const cut = answer.length > LONGEST ? `${answer.slice(0, LONGEST)}…` : answer
  tell(requests.map((one) => (one.number === number ? { ...one, status, milliseconds, answer: cut } : one)))
}

export const clearRequests = (): void => tell([])

export function useRequests(): readonly SentRequest[] {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => requests,
  )
}
