import { useSyncExternalStore } from 'react'

/**
 * The page's address is the service's: `#/book/7/chapter?sort=-title` shows what `GET /api/book/7/chapter?sort=-title`
 * answers. It stands behind the `#`, so it works under any path and behind any proxy, and no log has it. No router of
 * the field keeps the encoding of such segments as the service needs it: an id may have any character.
 */
export interface Address {
  readonly path: string
  readonly query: string
}

const listeners = new Set<() => void>()
let guard: (() => boolean) | undefined
let current = readAddress()

function readAddress(): Address {
  const hash = window.location.hash.slice(1)
  const mark = hash.indexOf('?')
  const path = mark < 0 ? hash : hash.slice(0, mark)
  return { path: path === '' ? '/' : path, query: mark < 0 ? '' : hash.slice(mark + 1) }
}

window.addEventListener('hashchange', (event) => {
  const next = readAddress()
  if (next.path === current.path && next.query === current.query) return
  if (next.path !== current.path && guard !== undefined && !guard()) {
    // The browser is there already: back to the page with its unsaved changes.
    window.history.pushState(null, '', event.oldURL)
    return
  }
  current = next
  for (const listener of listeners) listener()
})

window.addEventListener('beforeunload', (event) => {
  if (guard !== undefined) event.preventDefault()
})

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export const useAddress = (): Address => useSyncExternalStore(subscribe, () => current)

export const hrefOf = (path: string, query = ''): string => `#${path}${query === '' ? '' : `?${query}`}`

export function go(path: string, query = ''): void {
  window.location.hash = hrefOf(path, query)
}

/** Changes the address without a step in the browser's history, as typing into a search does. */
export function replaceAddress(path: string, query: string): void {
  window.history.replaceState(null, '', hrefOf(path, query))
  current = readAddress()
  for (const listener of listeners) listener()
}

/** Asks before the page is left; undefined: there is nothing to lose. */
export function guardAddress(ask: (() => boolean) | undefined): void {
  guard = ask
}
