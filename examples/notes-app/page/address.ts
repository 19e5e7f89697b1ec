import { useSyncExternalStore } from 'react'

/** What the page shows is in its address: it can be reloaded, and one can go back. */
export interface Address {
  readonly note?: number
  readonly notebook?: number
  readonly tag?: number
  readonly search?: string
}

const ids = ['note', 'notebook', 'tag'] as const

function read(): Address {
  const asked = new URLSearchParams(location.hash.slice(1))
  const numbers = ids.flatMap((name) => (asked.has(name) ? [[name, Number(asked.get(name))]] : []))
  const search = asked.get('search') ?? undefined
  return { ...Object.fromEntries(numbers), ...(search && { search }) }
}

/** The link to an address. */
export function hrefOf(address: Address): string {
  const said = Object.entries(address).filter(([, value]) => value !== undefined && value !== '')
  return `#${new URLSearchParams(said.map(([name, value]) => [name, String(value)]))}`
}

/** `replaces`: "back" does not lead to the address before. */
export function go(address: Address, { replaces = false } = {}): void {
  if (replaces) history.replaceState(null, '', hrefOf(address))
  else history.pushState(null, '', hrefOf(address))
  dispatchEvent(new HashChangeEvent('hashchange'))
}

let known = { hash: location.hash, address: read() }

function current(): Address {
  if (known.hash !== location.hash) known = { hash: location.hash, address: read() }
  return known.address
}

function subscribe(changed: () => void): () => void {
  addEventListener('hashchange', changed)
  return () => removeEventListener('hashchange', changed)
}

export function useAddress(): Address {
  return useSyncExternalStore(subscribe, current)
}
