import { checkAnswers } from './check-answers.ts'
import { checkMoods } from './check-moods.ts'
import { checkOrder } from './check-order.ts'
import { checkRepeats } from './check-repeats.ts'
import { checkTrash } from './check-trash.ts'
import { describe, type Key, tokenOf, topsOf, type Write } from './history.ts'
import { mayComeBack } from './trash.ts'

/** A record that is in the database at the end. */
export interface Stored {
  readonly key: Key
  readonly text: string | null
  readonly mood: string | null | undefined
  readonly owner: Key | undefined
  readonly isDeleted?: boolean
}

/** What is wrong with the records at the end, deleted ones included, given all that was written; empty if nothing is. */
export function checkHistory(writes: readonly Write[], stored: readonly Stored[]): string[] {
  const history = indexOf(writes, stored)
  // Of those that may come back, `checkTrash` says which may be there.
  const plain = stored.filter(({ key }) => !mayComeBack(key))
  return [
    ...refusedButThere(writes, stored),
    ...lost(history, plain),
    ...deletedButThere(history, plain),
    ...replacedButThere(history, plain),
    ...wrongTexts(history, stored),
    ...torn(history, stored),
    ...givenTwice(history),
    ...checkAnswers(writes),
    ...checkRepeats(writes, stored),
    ...checkTrash(writes, stored),
    ...checkMoods(writes, moodsOf(stored)),
    ...checkOrder(writes, history.owners, new Set(plain.map(({ key }) => key))),
  ]
}

interface Creation {
  readonly write: Write
  readonly text: string | null
}

interface History {
  readonly writes: readonly Write[]
  readonly owners: ReadonlyMap<Key, Key>
  /** The acknowledged writes that each record came to be by: one, but for ids that clients choose. */
  readonly creations: ReadonlyMap<Key, readonly Creation[]>
  /** The writes, done or unknown, that may remove the record or what it owns. */
  readonly removals: ReadonlyMap<Key, readonly Write[]>
  /** The writes, done or unknown, that may set the record's text. */
  readonly texts: ReadonlyMap<Key, readonly { readonly write: Write; readonly text: string | null }[]>
}

function indexOf(writes: readonly Write[], stored: readonly Stored[]): History {
  const owners = new Map<Key, Key>()
  const creations = new Map<Key, Creation[]>()
  const removals = new Map<Key, Write[]>()
  const texts = new Map<Key, { write: Write; text: string | null }[]>()
  const add = <Item>(map: Map<Key, Item[]>, key: Key, item: Item): void => {
    const known = map.get(key)
    if (known === undefined) map.set(key, [item])
    else known.push(item)
  }
  for (const { key, owner } of stored) if (owner !== undefined) owners.set(key, owner)
  for (const write of writes) {
    for (const [index, key] of write.target.entries()) {
      const above = write.target[index - 1]
      if (above !== undefined) owners.set(key, above)
    }
    const top = write.target.at(-1)
    const shown = [...write.records, ...(write.answers ?? []).flatMap(({ records }) => records)]
    for (const { key, text, owner, isNew } of shown) {
      const above = owner ?? (write.method === 'POST' ? top : undefined)
      if (above !== undefined) owners.set(key, above)
      if (isNew && (text ?? '').startsWith(write.token)) add(creations, key, { write, text })
    }
    for (const { key, text } of write.records) {
      if (write.method === 'PUT' || (text ?? '').startsWith(write.token)) add(texts, key, { write, text })
    }
    if (write.outcome === 'unknown') {
      for (const { key, text } of write.sets) if (text !== null) add(texts, key, { write, text })
    }
    if (!write.removes || write.outcome === 'refused') continue
    for (const key of topsOf(write)) add(removals, key, write)
  }
  return { writes, owners, creations, removals, texts }
}

function refusedButThere(writes: readonly Write[], stored: readonly Stored[]): string[] {
  const refused = new Map(writes.filter(({ outcome }) => outcome === 'refused').map((write) => [write.token, write]))
  return stored.flatMap(({ key, text }) => {
    const write = refused.get(tokenOf(text))
    return write === undefined ? [] : [`${key} has the text '${text}' of ${describe(write)}`]
  })
}

/** Records whose creation was acknowledged, that nobody may have removed since, and that are not there. */
function lost({ creations, removals, owners }: History, stored: readonly Stored[]): string[] {
  const there = new Set(stored.map(({ key }) => key))
  return [...creations].flatMap(([key, found]) => {
    if (there.has(key) || mayComeBack(key)) return []
    const { write } = found.at(-1) as Creation
    const possible = chainOf(key, owners).flatMap((above) => removals.get(above) ?? [])
    return possible.some((removal) => !isBefore(removal, write)) ? [] : [`${key} of ${describe(write)} is lost`]
  })
}

function deletedButThere({ writes, creations }: History, stored: readonly Stored[]): string[] {
  const there = new Set(stored.map(({ key }) => key))
  return writes.flatMap((write) => {
    if (write.method !== 'DELETE' || write.outcome !== 'done') return []
    return topsOf(write).flatMap((key) => {
      if (!there.has(key)) return []
      // A client may have chosen the id of a record that was gone.
      const isThereAgain = creations.get(key)?.some((creation) => !isBefore(creation.write, write))
      return isThereAgain ? [] : [`${key} is there, but it was deleted by ${describe(write)}`]
    })
  })
}

/** Records that a PUT of an owner did not list, although they had been created before it. */
function replacedButThere({ writes, creations, owners }: History, stored: readonly Stored[]): string[] {
  const puts = new Map<Key, Write[]>()
  for (const write of writes) {
    if (write.method !== 'PUT' || write.outcome !== 'done') continue
    for (const key of topsOf(write)) puts.set(key, [...(puts.get(key) ?? []), write])
  }
  return stored.flatMap(({ key }) => {
    const created = creations.get(key)?.[0]
    if (created === undefined || hasOwnersId(key)) return []
    const [, ...above] = chainOf(key, owners)
    const put = above
      .flatMap((owner) => puts.get(owner) ?? [])
      .find((one) => isBefore(created.write, one) && !one.records.some((record) => record.key === key))
    return put === undefined ? [] : [`${key} of ${describe(created.write)} is there, but not after ${describe(put)}`]
  })
}

/** Texts that an acknowledged write has replaced since, or that nobody wrote. */
function wrongTexts({ texts, writes }: History, stored: readonly Stored[]): string[] {
  const withoutAnswer = writes.filter(({ outcome }) => outcome === 'unknown')
  const unknown = new Set(withoutAnswer.map(({ token }) => token))
  const unknownTexts = new Set(withoutAnswer.flatMap(({ sets }) => sets.map((one) => one.text)))
  return stored.flatMap(({ key, text }) => {
    const all = texts.get(key) ?? []
    const candidates = all.filter((one) => one.text === text).map(({ write }) => write)
    // A new record of a write without an answer: nobody was told its id.
    if (candidates.length === 0 && (unknown.has(tokenOf(text)) || unknownTexts.has(text))) return []
    const later = (than: Write) => all.find(({ write }) => write.outcome === 'done' && isBefore(than, write))?.write
    if (candidates.some((write) => later(write) === undefined)) return []
    const [write] = candidates
    if (write === undefined) return [`${key} has the text '${text}', which nobody wrote`]
    const other = later(write)
    return [`${key} has the text '${text}' of ${describe(write)}, but ${other && describe(other)} came later`]
  })
}

/** POSTs without an answer of which a part was stored, and the rest not changed or removed by others since. */
function torn({ writes, creations }: History, stored: readonly Stored[]): string[] {
  const touched = new Set(writes.flatMap(({ target, many = [] }) => [...target.slice(0, 1), ...many]))
  const byToken = Map.groupBy(stored, ({ text }) => tokenOf(text))
  /** Whether others have named some of many new records: whose these were, nobody was told. */
  const mayBeTouched = (write: Write, resource: string) =>
    [...touched].some((key) => {
      const isOfAnother = creations.get(key)?.some((creation) => creation.write !== write) === true
      return key.startsWith(`${resource}/`) && !isOfAnother
    })
  return writes.flatMap((write) => {
    if (write.outcome !== 'unknown' || write.method !== 'POST' || write.target.length > 0) return []
    // Others move and remove what these own by paths that do not name them.
    if (['/api/stall', '/api/drawer'].includes(write.path)) return []
    const found = byToken.get(write.token) ?? []
    const tops = found.filter(({ owner }) => owner === undefined)
    const [top] = tops
    if (top === undefined || found.length === write.size || tops.some(({ key }) => touched.has(key))) return []
    if (write.many !== undefined && mayBeTouched(write, top.key.split('/')[0] as string)) return []
    return [`${found.length} of ${write.size} records of ${describe(write)} are there`]
  })
}

/** Ids that two plain POSTs, or a POST and a client that chose it, both got. */
function givenTwice({ creations }: History): string[] {
  return [...creations].flatMap(([key, found]) => {
    if (hasOwnersId(key)) return []
    const tokens = new Set(found.map(({ write }) => write.token))
    const chosen = found.filter(({ write }) => /^\/api\/\w+\/[^/]+$/.test(write.path) && write.method === 'POST')
    return tokens.size - chosen.length > 1
      ? [`${key} was given to ${found.map(({ write }) => describe(write)).join(' and ')}`]
      : []
  })
}

/** One after the other can have it, and an answer does not tell which. */
function hasOwnersId(key: Key): boolean {
  return key.startsWith('cover/')
}

function moodsOf(stored: readonly Stored[]): Map<Key, string | null> {
  return new Map(stored.flatMap(({ key, mood }) => (mood === undefined ? [] : [[key, mood] as const])))
}

/** The record and its owners, as far as they are known. */
function chainOf(key: Key, owners: ReadonlyMap<Key, Key>): Key[] {
  const chain = [key]
  for (let above = owners.get(key); above !== undefined && !chain.includes(above); above = owners.get(above))
    chain.push(above)
  return chain
}

/** Whether one was answered before the other was sent: only then is their order known. */
function isBefore(one: Write, other: Write): boolean {
  return one.until < other.at
}
