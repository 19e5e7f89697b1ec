import type { Random } from '../../../../test/storm/random.ts'

type Id = number | string

/** What the answers so far have shown of ids and records: so that requests reach records that are there. */
export interface KnownIds {
  /** Remembers every id in the body of an answer to a request for that path. */
  learn(path: string, body: unknown): void
  /** Forgets the record at that path, which is gone. */
  forget(path: string): void
  /** A path of the template with ids that belong together, if any are known; now and then with any. */
  path(template: string): string
  /** The record at that path as it was last shown; undefined if it was not. */
  record(path: string): object | undefined
  /** An id that was seen at such a place, such as `donorId` or `experts/id`; now and then any other. */
  at(place: string): Id
}

const MOST_KEPT = 30

export function knownIds(random: Random): KnownIds {
  const byPlace = new Map<string, Id[]>()
  const byPath = new Map<string, object>()
  const note = (place: string, id: Id): void => {
    const ids = byPlace.get(place) ?? []
    byPlace.set(place, ids)
    if (!ids.includes(id)) ids.push(id)
    if (ids.length > MOST_KEPT) ids.shift()
  }
  const any = (): Id => random.pick(random.pick([...byPlace.values()]) ?? [1]) ?? 1
  const oneOf = (ids: readonly Id[]): Id => (random.chance(0.1) ? undefined : random.pick(ids)) ?? any()

  const learnIn = (collection: string, value: unknown): void => {
    if (Array.isArray(value)) {
      for (const element of value) learnIn(collection, element)
    } else if (typeof value === 'object' && value !== null) {
      const { id } = value as { id?: unknown }
      if (isId(id)) {
        note(collection, id)
        note(`${lastOf(collection)}/id`, id)
      }
      for (const [name, inner] of Object.entries(value)) {
        if (isId(inner) && name.endsWith('Id')) note(name, inner)
        else learnIn(`${collection}/${inPath(id)}/${name}`, inner)
      }
    }
  }
  /** What an owner shows as `parts` is found below `part`: the route of one has the name of the other in front. */
  const idsIn = (collection: string): readonly Id[] => {
    // What a record is linked to is there already: another link is one to a record that others are linked to.
    const others = byPlace.get(`${lastOf(collection)}/id`)
    if (others !== undefined && random.chance(0.3)) return others
    return byPlace.get(collection) ?? byPlace.get(`${collection}s`) ?? []
  }
  /** A path with a write of which the history of its record has told. */
  const knownWrite = (template: string): string | undefined => {
    const [record = '', behind = ''] = template.split('/{write}')
    const pattern = new RegExp(`^${record.replaceAll('$', '\\$').replaceAll(/\{\w+\}/g, '[^/]+')}$`)
    const place = random.pick([...byPlace.keys()].filter((one) => pattern.test(one)))
    return place && `${place}/${random.pick(byPlace.get(place) ?? [])}${behind}`
  }
  return {
    learn(given, body) {
      // What an action answers is mostly the record, and so is what is brought back, or set back.
      const path = given.replace(/\/\$(?:act\/[^/]*|restore|history\/[^/]*\/\$undo)$/, '')
      if (path.includes('/$history')) {
        for (const { write, at } of (body as { rows?: { write: string; at: string }[] }).rows ?? []) {
          note(path, write)
          note('at', at)
        }
        return
      }
      const collection = isOfRecord(path) ? path.slice(0, path.lastIndexOf('/')) : path
      const shown = (body as { rows?: unknown }).rows ?? body
      learnIn(collection, shown)
      for (const record of [shown].flat() as { id: Id; partial?: true }[])
        if (record.partial === undefined) byPath.set(`${collection}/${inPath(record.id)}`, record)
    },
    forget(path) {
      byPath.delete(path)
      const id = decodeURIComponent(lastOf(path))
      const collection = path.slice(0, path.lastIndexOf('/'))
      for (const place of [collection, `${collection}s`, `${lastOf(collection)}/id`]) {
        const ids = byPlace.get(place)
        if (ids !== undefined)
          byPlace.set(
            place,
            ids.filter((one) => String(one) !== id),
          )
      }
    },
    record: (path) => byPath.get(path),
    path: (template) =>
      (template.includes('{write}') && random.chance(0.9) ? knownWrite(template) : undefined) ??
      template
        .split('/')
        .slice(1)
        .reduce((path, segment, at, all) => {
          if (!segment.startsWith('{')) return `${path}/${segment}`
          const isBroughtBack = all[at + 1] === '$restore'
          return `${path}/${inPath(oneOf(idsIn(isBroughtBack ? `${path}/$deleted` : path)))}`
        }, ''),
    at: (place) => oneOf(byPlace.get(place) ?? []),
  }
}

function isId(value: unknown): value is Id {
  return typeof value === 'number' || typeof value === 'string'
}

function inPath(id: unknown): string {
  return encodeURIComponent(String(id))
}

/** `/api/item/5`, not `/api/item`. */
function isOfRecord(path: string): boolean {
  return path.split('/').length % 2 === 0
}

function lastOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}
