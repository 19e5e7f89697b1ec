import { useSyncExternalStore } from 'react'
import type { Effects } from '../effects/effects.ts'

/** What the service tells of a write: its effects, and whose it was. */
export interface LiveEvent extends Effects {
  readonly position: number
  readonly resource?: string
  readonly id?: unknown
  readonly by?: unknown
}

/** What others have done to a record while it was shown. */
export interface Mark {
  readonly state: 'changed' | 'added' | 'gone'
  readonly by: unknown
  /** Of fields and foreign keys that have other values, and of the resources of owned records that changed. */
  readonly names: readonly string[]
}

export type Marks = ReadonlyMap<string, Mark>

const STATES = { Add: 'added', Edit: 'changed', Delete: 'gone', Link: 'changed', Unlink: 'changed' } as const

const keyOf = (resource: string, id: unknown): string => `${resource} ${String(id)}`

export const markOf = (marks: Marks, resource: string, id: unknown): Mark | undefined => marks.get(keyOf(resource, id))

/** The marks with those of a write: of each record that it has changed, of its owner, and of the one that was written. */
export function withMarks(marks: Marks, { changes, resource, id, by }: LiveEvent): Marks {
  const next = new Map(marks)
  const add = (key: string, state: Mark['state'], names: readonly string[]) => {
    const before = next.get(key)
    const isOnlyMore = state === 'changed' && before !== undefined && before.state !== 'gone'
    const all = new Set([...(before?.names ?? []), ...names])
    next.set(key, { state: isOnlyMore ? before.state : state, by, names: [...all] })
  }
  for (const { action, resource: changed, id: of, within, relation, after } of changes) {
    const names = relation === undefined ? Object.keys(after ?? {}) : [relation]
    add(keyOf(changed, of), STATES[action], action === 'Edit' || relation !== undefined ? names : [])
    if (within !== undefined) add(keyOf(...within), 'changed', [changed])
  }
  if (resource !== undefined && id !== undefined && !next.has(keyOf(resource, id)))
    add(keyOf(resource, id), 'changed', [])
  return next
}

const listeners = new Set<() => void>()
const NONE: Marks = new Map()
let marks = NONE

function setMarks(next: Marks): void {
  if (next === marks) return
  marks = next
  for (const listener of listeners) listener()
}

export const mark = (event: LiveEvent): void => setMarks(withMarks(marks, event))

/** Another page is opened: what it shows is read anew. */
export const forgetMarks = (): void => setMarks(NONE)

export function useMarks(): Marks {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => marks,
  )
}
