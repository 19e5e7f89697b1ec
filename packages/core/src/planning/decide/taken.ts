import { notUnique, type Problem, placesTaken, type Refusal } from '../../errors.ts'
import type { Id } from '../../model/ids/id-kind.ts'
import type { Link, UniqueKey } from '../../model/model.ts'
import type { Draft } from '../body/draft.ts'
import { type Changes, isRemoved } from '../diff/changes.ts'
import { type Diff, placeIsTaken } from '../diff/diff.ts'
import { findListed } from '../diff/find-listed.ts'
import type { Facts, Lookups } from './lookups.ts'
import { canCollide, memberPointer, placeOf, readableNames, rowsByKey, sets, valueKey } from './unique-values.ts'

/** Refuses unique values that two records would have after the write, and places of one record that two would have,
 * with the pointer of each in the body. */
export function taken(diff: Diff, lookups: Lookups, facts: Facts): Refusal | undefined {
  const { changes, fieldRights } = diff
  const { changed } = lookups
  const collisions = new Map<string, { names: readonly string[]; problem: Problem }>()
  const collide = (names: readonly string[], pointer: string | undefined, message: string): void => {
    if (pointer === undefined) return
    const problem = { pointer, message, keyword: 'unique', params: { members: names } }
    collisions.set(`${pointer} ${names}`, { names, problem })
  }
  const places: Problem[] = []
  const changing = rowsByKey(changed)
  const listed = findListed(diff.listed)
  const first = new Map<string, (typeof changed)[number]>()
  for (const one of changed) {
    if (!canCollide(one.values)) continue
    const names = readableNames(one.key, fieldRights)
    const values = valueKey(one, one.values)
    const twin = first.get(values)
    const place = placeOf(one.key)
    if (twin === undefined) first.set(values, one)
    else if (place !== undefined) places.push(placeIsTaken(place, one.pointer))
    else for (const { pointer } of [twin, one]) collide(names, pointer, `${names.join(', ')} occurs twice in this body`)
  }
  for (const { resource, key, values } of lookups.holders) {
    for (const [index, holder] of facts.holders.get(key) ?? []) {
      const one = values[index]
      if (one === undefined || changing.get(key)?.has(holder) || isRemoved(changes, resource, holder)) continue
      const place = placeOf(key)
      if (place !== undefined) {
        places.push(placeIsTaken(place, one.pointer))
        continue
      }
      const names = readableNames(key, fieldRights)
      collide(names, one.pointer, `another ${resource.key} has this ${names.join(', ')} already`)
      const also = pointerToListed(listed(resource, holder), key)
      collide(names, also, `${names.join(', ')} occurs twice in this body`)
    }
  }
  for (const { link, to, from, pointer } of changes.linked) {
    for (const holder of facts.linkHolders.get(link)?.get(to) ?? []) {
      if (holder === from || unlinks(changes, link, holder, to)) continue
      collide([link.name], pointer, `${link.target.key} ${to} is linked to another ${link.source.key} already`)
      const draft = listed(link.source, holder)
      const element = draft?.links[link.position]?.find((one) => one.id === to)
      collide(
        [link.name],
        element?.pointer ?? draft?.pointer,
        `${link.target.key} ${to} can be linked to one ${link.source.key} only`,
      )
    }
  }
  for (const [pointer, link, to] of linkedTwice(changes)) {
    collide([link.name], pointer, `${link.target.key} ${to} can be linked to one ${link.source.key} only`)
  }
  if (places.length > 0) return placesTaken(places)
  if (collisions.size === 0) return undefined
  const names = new Set([...collisions.values()].map((one) => one.names.join(', ')))
  return notUnique(
    `not unique: ${[...names].join('; ')}`,
    [...collisions.values()].map((one) => one.problem),
  )
}

/** The pointer to the values of a record that the body lists: to the one property if possible, else to the record. */
function pointerToListed(draft: Draft | undefined, key: UniqueKey): string | undefined {
  if (draft === undefined || !sets(draft.values, key)) return draft?.pointer
  return memberPointer(key, draft.pointer, draft.values, draft.reading.fieldRights)
}

function unlinks(changes: Changes, link: Link, from: Id, to: Id): boolean {
  if (isRemoved(changes, link.source, from)) return true
  return changes.unlinked.some((one) => one.link === link && one.from === from && one.to === to)
}

/** The associations in one body that give an exclusive target to two records. */
function linkedTwice(changes: Changes): [pointer: string, link: Link, to: Id][] {
  const found: [string, Link, Id][] = []
  const first = new Map<Link, Map<Id, string>>()
  for (const { link, to, pointer } of changes.linked) {
    if (!link.exclusive) continue
    const known = first.get(link) ?? new Map<Id, string>()
    first.set(link, known)
    const other = known.get(to)
    if (other === undefined) known.set(to, pointer)
    else found.push([other, link, to], [pointer, link, to])
  }
  return found
}
