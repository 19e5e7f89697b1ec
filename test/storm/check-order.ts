import { type Key, topsOf, type Write } from './history.ts'
import { mayComeBack } from './trash.ts'

/**
 * Whether there is an order of the acknowledged writes that explains what their answers and the end show, and in which
 * none comes before one that was answered before it was sent. What is wrong if there is not, in words; else empty.
 */
export function checkOrder(writes: readonly Write[], ownerOf: ReadonlyMap<Key, Key>, left: ReadonlySet<Key>): string[] {
  const all = writes.map((write) => ({ ...write, records: write.records.filter(({ key }) => isThereOnce(key)) }))
  const done = all.filter(({ outcome }) => outcome === 'done')
  const addAll = (edge: Edge): void => {
    addChildren(done, ownerOf, left, edge)
    addTexts(all, edge)
    addDeletes(done, edge)
  }
  const after = new Map<Write, Set<Write>>(done.map((write) => [write, new Set()]))
  addAll((first, second) => {
    if (first !== second) after.get(first)?.add(second)
  })
  const { stuck, taken } = takeAll(done, after)
  return stuck === undefined ? [] : [explain(stuck, taken, addAll)]
}

/** Not if a client can choose the id of a record that is gone, if the id is the owner's, or if it may come back. */
function isThereOnce(key: Key): boolean {
  return !/^(city|manager|van|sponsor|genre|cover)\//.test(key) && !mayComeBack(key)
}

/** What comes before what, and the record that shows it. */
type Edge = (first: Write, second: Write, why: string, key: Key) => void

/** A PUT that does not list a record comes before what created the record, if the record is seen after the PUT. */
function addChildren(done: readonly Write[], ownerOf: ReadonlyMap<Key, Key>, left: ReadonlySet<Key>, edge: Edge): void {
  const creators = new Map<Key, Write>()
  const lastSeen = new Map<Key, number>()
  const puts = new Map<Key, { readonly write: Write; readonly keys: ReadonlySet<Key> }[]>()
  for (const write of done) {
    for (const { key, isNew, text } of write.records) {
      if (isNew && text?.startsWith(write.token)) creators.set(key, write)
      lastSeen.set(key, Math.max(lastSeen.get(key) ?? 0, write.at))
    }
    if (write.method !== 'PUT') continue
    const keys = new Set(write.records.map(({ key }) => key))
    for (const target of topsOf(write)) {
      const known = puts.get(target) ?? []
      puts.set(target, known)
      known.push({ write, keys })
    }
  }
  for (const key of left) lastSeen.set(key, Number.POSITIVE_INFINITY)
  for (const write of done) {
    for (const { key } of write.records) {
      const creator = creators.get(key)
      if (creator !== undefined) edge(creator, write, 'shows what it made', key)
    }
  }
  for (const [key, creator] of creators) {
    const seen = lastSeen.get(key) as number
    for (let owner = ownerOf.get(key); owner !== undefined; owner = ownerOf.get(owner)) {
      for (const { write, keys } of puts.get(owner) ?? []) {
        if (write.until < seen && !keys.has(key)) edge(write, creator, 'made what it would have removed', key)
      }
    }
  }
}

/**
 * Who shows a text comes after who wrote it; who wrote another one, and was answered by then, comes before that. Only of
 * use where one alone wrote the text: a PUT sends back what it has seen, maybe of a writer that got no answer.
 */
function addTexts(writes: readonly Write[], edge: Edge): void {
  const setters = new Map<Key, { readonly write: Write; readonly text: string | null }[]>()
  for (const write of writes) {
    const isPut = write.method === 'PUT'
    const set =
      write.outcome === 'done' ? write.records.filter(({ text }) => isPut || text?.startsWith(write.token)) : write.sets
    if (write.outcome === 'refused') continue
    for (const { key, text } of set) {
      const known = setters.get(key) ?? []
      setters.set(key, known)
      known.push({ write, text })
    }
  }
  for (const observer of writes) {
    for (const { key, text } of observer.records) {
      const all = setters.get(key) ?? []
      const [only, ...more] = all.filter((one) => one.text === text)
      if (only === undefined || more.length > 0 || only.write.outcome !== 'done') continue
      if (!only.text?.startsWith(only.write.token)) continue
      edge(only.write, observer, 'shows what it wrote', key)
      for (const { write } of all) {
        if (write !== only.write && write.until < observer.at) edge(write, only.write, 'was not overwritten by it', key)
      }
    }
  }
}

/** Who shows a record comes before who deleted it. */
function addDeletes(done: readonly Write[], edge: Edge): void {
  const deletes = new Map<Key, Write[]>()
  for (const write of done) {
    if (write.method !== 'DELETE') continue
    for (const key of topsOf(write)) deletes.set(key, [...(deletes.get(key) ?? []), write])
  }
  for (const write of done) {
    for (const { key } of write.records) {
      for (const found of deletes.get(key) ?? []) edge(write, found, 'deleted what it shows', key)
    }
  }
}

/** Takes the writes one by one, each when all that have to come before it are taken; stops at one that never is. */
function takeAll(
  done: readonly Write[],
  after: ReadonlyMap<Write, ReadonlySet<Write>>,
): { readonly stuck: Write | undefined; readonly taken: ReadonlySet<Write> } {
  const waiting = new Map<Write, number>(done.map((write) => [write, 0]))
  for (const followers of after.values())
    for (const write of followers) waiting.set(write, (waiting.get(write) ?? 0) + 1)
  const byEnd = done.toSorted((a, b) => a.until - b.until)
  const ready = new Heap()
  for (const [write, count] of waiting) if (count === 0) ready.push(write)
  const taken = new Set<Write>()
  let first = 0
  while (taken.size < done.length) {
    while (taken.has(byEnd[first] as Write)) first += 1
    const next = ready.pop()
    const earliest = byEnd[first] as Write
    if (next === undefined || next.at > earliest.until) return { stuck: earliest, taken }
    taken.add(next)
    for (const write of after.get(next) ?? []) {
      const count = (waiting.get(write) as number) - 1
      waiting.set(write, count)
      if (count === 0) ready.push(write)
    }
  }
  return { stuck: undefined, taken }
}

function explain(stuck: Write, taken: ReadonlySet<Write>, addAll: (edge: Edge) => void): string {
  const show = ({ token, method, path, at, until }: Write) => `${token} ${method} ${path} ${at}–${until}`
  const reasons: string[] = []
  addAll((first, second, why, key) => {
    if (second !== stuck || first === stuck || first.outcome !== 'done' || taken.has(first)) return
    reasons.push(`after ${show(first)}, as it ${why}: ${key}`)
  })
  return `no order explains ${show(stuck)}, which has to come ${reasons.join(', ')}`
}

/** Writes, the one that was sent first on top. */
class Heap {
  readonly #items: Write[] = []

  push(write: Write): void {
    this.#items.push(write)
    let index = this.#items.length - 1
    while (index > 0) {
      const above = (index - 1) >> 1
      if (!this.#swapIfLater(above, index)) return
      index = above
    }
  }

  pop(): Write | undefined {
    const top = this.#items[0]
    const last = this.#items.pop()
    if (last === undefined || last === top) return top
    this.#items[0] = last
    for (let index = 0; ; ) {
      const left = 2 * index + 1
      const right = left + 1
      const least = this.#at(right) < this.#at(left) ? right : left
      if (!this.#swapIfLater(index, least)) return top
      index = least
    }
  }

  #at(index: number): number {
    return this.#items[index]?.at ?? Number.POSITIVE_INFINITY
  }

  #swapIfLater(above: number, below: number): boolean {
    if (this.#at(above) <= this.#at(below)) return false
    const write = this.#items[above] as Write
    this.#items[above] = this.#items[below] as Write
    this.#items[below] = write
    return true
  }
}
