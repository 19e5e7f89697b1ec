/** Two organisations. The requests are the first one's; the rows of the second one are in one of the databases only. */
export const FOUR = '44444444-4444-7444-8444-444444444444'
export const NINE = '99999999-9999-7999-8999-999999999999'

/** The ids and unique values of both: each may be in one of them, in both, and in none. */
export const KEYS = ['a', 'b', 'c', 'x', 'y', 'q'] as const
export type Key = (typeof KEYS)[number]

export const KEYS_OF: Readonly<Record<string, readonly Key[]>> = {
  [FOUR]: ['a', 'b', 'c'],
  [NINE]: ['a', 'b', 'x', 'y'],
}

/** Where ids are UUIDs. */
export const WITH_UUIDS: ReadonlySet<string> = new Set(['member', 'cover', 'task'])

export function idOf(resource: string, key: string): string {
  return WITH_UUIDS.has(resource) ? `00000000-0000-7000-8000-${key.charCodeAt(0).toString(16).padStart(12, '0')}` : key
}
