import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useSyncExternalStore } from 'react'
import type { ModelDocument } from '../model/model.ts'
import { useCaller } from '../service/caller.ts'
import { forgetMarks, type LiveEvent, mark } from './marks.ts'
import { isOwnWrite } from './own-writes.ts'
import { isReached } from './reach.ts'

/** Between two rounds of reading again, in milliseconds: a service may be written to all the time. */
const PAUSE = 400

/**
 * Reads again what others have written, as the service tells of it, and marks it. One stream for the page, and none while
 * nobody sees it: a browser lets a server have only a few.
 */
export function useLive(model: ModelDocument | undefined, path: string): void {
  const caller = useCaller()
  const client = useQueryClient()
  const isVisible = useSyncExternalStore(onVisible, () => !document.hidden)
  const known = useRef<{ readonly caller: unknown; readonly after: number }>(undefined)
  const isTold = Object.values(model?.resources ?? {}).some(({ operations }) => operations.changes === true)
  useEffect(() => {
    if (model === undefined || !isTold || !isVisible) return
    const ends = new AbortController()
    const refresh = refresher(client, model, ends.signal)
    const onEvent = (event: LiveEvent) => {
      known.current = { caller, after: event.position }
      if (!isOwnWrite(model, event)) mark(event)
      refresh(event.changes.map(({ resource }) => resource))
    }
    const told = Object.entries(model.resources).filter(([, { operations }]) => operations.changes === true)
    const onGap = () => refresh(told.map(([resource]) => resource))
    const after = known.current?.caller === caller ? known.current.after : undefined
    const following = import('./follow.ts').then(({ follow }) =>
      follow({ model, signal: ends.signal, after, onEvent, onGap }),
    )
    // What the service refuses, it refuses: the page shows what it has read.
    following.catch(() => {})
    return () => ends.abort()
  }, [client, model, isTold, isVisible, caller])
  // biome-ignore lint/correctness/useExhaustiveDependencies: another page, or another person
  useEffect(() => forgetMarks, [path, caller])
}

function onVisible(listener: () => void): () => void {
  document.addEventListener('visibilitychange', listener)
  return () => document.removeEventListener('visibilitychange', listener)
}

/** Has queries read again what records of resources may have changed, one round after the other. */
function refresher(client: QueryClient, model: ModelDocument, signal: AbortSignal): (changed: string[]) => void {
  const waiting = new Set<string>()
  let isBusy = false
  const round = async () => {
    isBusy = true
    while (waiting.size > 0 && !signal.aborted) {
      const changed = new Set(waiting)
      waiting.clear()
      await client.invalidateQueries({ predicate: ({ queryKey }) => isReached(model, queryKey, changed) })
      await new Promise((done) => setTimeout(done, PAUSE))
    }
    isBusy = false
  }
  return (changed) => {
    for (const resource of changed) waiting.add(resource)
    if (!isBusy) void round()
  }
}
