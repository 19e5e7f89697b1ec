import { useSyncExternalStore } from 'react'
import { settings } from '../settings.ts'

/** Who asks, as the page says it. What is entered stays in memory: a reload forgets it. */
export interface Caller {
  /** Of the switch for development, or undefined: the browser's own cookies. */
  readonly name?: string
  /** The value of the header `Authorization`. */
  readonly authorization?: string
}

const listeners = new Set<() => void>()
const [first] = Object.keys(settings.callers ?? {})
let caller: Caller = first === undefined ? {} : { name: first }

export function setCaller(next: Caller): void {
  caller = next
  for (const listener of listeners) listener()
}

export function useCaller(): Caller {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => caller,
  )
}

export function headersOfCaller(): Record<string, string> {
  const { name, authorization } = caller
  const given = name === undefined ? {} : settings.callers?.[name]?.headers
  return { ...given, ...(authorization !== undefined && { authorization }) }
}
