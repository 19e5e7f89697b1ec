import type { Stored } from './check-history.ts'
import { describe, type Key, topsOf, type Write } from './history.ts'
import { mayComeBack } from './trash.ts'

/** What may happen to one record. */
interface Events {
  /** It came to be, or came back; those that are sure were done, to itself. */
  readonly revivals: Write[]
  readonly sureRevivals: Write[]
  readonly removals: Write[]
  readonly sureRemovals: Write[]
  readonly purges: Write[]
  readonly surePurges: Write[]
  readonly creation: Write | undefined
}

/**
 * What is wrong with deleted records, and with those that came back, given all that was written; empty if nothing is. The end and each list
 * of deleted records show only what writes explain that were not surely undone by then, and lists show all that surely is deleted.
 */
export function checkTrash(writes: readonly Write[], stored: readonly Stored[]): string[] {
  const eventsOf = indexOf(writes, stored)
  return [...wrongAtEnd(eventsOf, stored), ...writes.flatMap((write) => wrongInList(eventsOf, write))]
}

function indexOf(writes: readonly Write[], stored: readonly Stored[]): ReadonlyMap<Key, Events> {
  const owners = new Map<Key, Set<Key>>()
  const creations = new Map<Key, Write>()
  const byTop = new Map<Key, Write[]>()
  const own = (key: Key, owner: Key | undefined) => {
    if (!mayComeBack(key)) return
    const known = owners.get(key) ?? new Set()
    owners.set(key, owner === undefined ? known : known.add(owner))
  }
  for (const { key, owner } of stored) own(key, owner)
  for (const write of writes) {
    const target = write.target.at(-1)
    const isCreation = write.method === 'POST' && !write.path.includes('$restore')
    const shown = [...write.records, ...(write.answers ?? []).flatMap(({ records }) => records)]
    for (const { key, owner, text, isNew } of shown) {
      own(key, owner ?? (isCreation ? target : undefined))
      if (isNew && text?.startsWith(write.token) && mayComeBack(key)) creations.set(key, write)
    }
    if (write.outcome === 'refused') continue
    if (write.to !== undefined && target !== undefined) own(target, write.to)
    for (const key of topsOf(write)) byTop.set(key, [...(byTop.get(key) ?? []), write])
  }
  return new Map([...owners].map(([key, above]) => [key, eventsOf(key, [...above], creations.get(key), byTop)]))
}

function eventsOf(
  key: Key,
  owners: readonly Key[],
  creation: Write | undefined,
  byTop: ReadonlyMap<Key, Write[]>,
): Events {
  const own = byTop.get(key) ?? []
  const ofOwners = owners.flatMap((owner) => byTop.get(owner) ?? [])
  const all = [...own, ...ofOwners]
  const done = own.filter(({ outcome }) => outcome === 'done')
  // Below one of several owners, nobody knows whether the record was there at that time.
  const ofOnlyOwner = owners.length === 1 ? ofOwners.filter(({ outcome }) => outcome === 'done') : []
  return {
    revivals: [...(creation ? [creation] : []), ...all.filter(isRestore)],
    sureRevivals: done.filter(isRestore),
    removals: all.filter((write) => write.removes),
    sureRemovals: [...done, ...ofOnlyOwner].filter(isRemoval),
    purges: all.filter(isPurge),
    surePurges: done.filter(isPurge),
    creation,
  }
}

const isRestore = ({ path }: Write) => path.endsWith('/$restore')
const isPurge = ({ method, path }: Write) => method === 'DELETE' && path.includes('/$deleted/')
const isRemoval = (write: Write) => write.method === 'DELETE' && !isPurge(write)

/** When somebody looks: the look began and ended in between. */
interface Look {
  readonly at: number
  readonly until: number
}

const AT_END: Look = { at: Number.POSITIVE_INFINITY, until: Number.POSITIVE_INFINITY }

function canBeThere({ revivals, sureRemovals, creation }: Events, look: Look): boolean {
  return creation === undefined || anyHolds(revivals, sureRemovals, look)
}

function canBeDeleted({ removals, sureRevivals, surePurges }: Events, look: Look): boolean {
  return anyHolds(removals, [...sureRevivals, ...surePurges], look)
}

function canBeGone({ purges }: Events, look: Look): boolean {
  return purges.some(({ at }) => at < look.until)
}

/** Whether one of these may have been done by then, and none of the others surely behind it. */
function anyHolds(some: readonly Write[], undoing: readonly Write[], look: Look): boolean {
  return some.some(
    (one) => one.at < look.until && !undoing.some((other) => isBefore(one, other) && isBefore(other, look)),
  )
}

function wrongAtEnd(all: ReadonlyMap<Key, Events>, stored: readonly Stored[]): string[] {
  const found = new Map(stored.map((one) => [one.key, one]))
  return [...all].flatMap(([key, events]) => {
    const row = found.get(key)
    const can = row === undefined ? canBeGone : row.isDeleted ? canBeDeleted : canBeThere
    // What is gone was there once: who made it, or saw it, was told so.
    if (can(events, AT_END)) return []
    return [
      `${key} is ${row === undefined ? 'gone' : row.isDeleted ? 'deleted' : 'there'}, but not after ${story(events)}`,
    ]
  })
}

const LIMIT = 100

function wrongInList(all: ReadonlyMap<Key, Events>, write: Write): string[] {
  if (write.method !== 'GET' || write.outcome !== 'done') return []
  const [resource] = write.path.split('/').slice(2)
  const shown = new Set(write.records.map(({ key }) => key))
  const wrong = [...shown].filter((key) => {
    const events = all.get(key)
    return events !== undefined && !canBeDeleted(events, write)
  })
  const ofResource = [...all].filter(([key]) => key.startsWith(`${resource}/`))
  const isWhole = write.records.filter(({ key }) => key.startsWith(`${resource}/`)).length < LIMIT
  const missing = ofResource.filter(([key, events]) => {
    if (!isWhole || shown.has(key) || events.creation === undefined) return false
    const isOther = events.creation.tenant !== write.tenant || !isBefore(events.creation, write)
    return !isOther && !canBeThere(events, write) && !canBeGone(events, write)
  })
  const show = (key: Key) => `${key} after ${story(all.get(key) as Events)}`
  return [
    ...wrong.map((key) => `${describe(write)} shows ${show(key)}`),
    ...missing.map(([key]) => `${describe(write)} does not show ${show(key)}`),
  ]
}

function story({ revivals, removals, purges }: Events): string {
  const all = [...new Set([...revivals, ...removals, ...purges])].toSorted((one, other) => one.at - other.at)
  return all.map(describe).join(', ')
}

function isBefore(one: Look, other: Look): boolean {
  return one.until < other.at
}
