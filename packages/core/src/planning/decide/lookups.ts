import type { Rights } from '../../asking/policies/rights.ts'
import { type Id, isGivenByClient } from '../../model/ids/id-kind.ts'
import {
  type Field,
  type ForeignKey,
  isRowMember,
  type Link,
  type OrderedArray,
  type Reference,
  type Resource,
  type UniqueKey,
} from '../../model/model.ts'
import {
  type Arrangement,
  type Changes,
  givenId,
  type Insert,
  mayMeetOthers,
  removedOf,
  type Update,
} from '../diff/changes.ts'
import type { Diff } from '../diff/diff.ts'
import { groupBy, isNew } from '../rows.ts'
import { type GuardedRows, guardedBefore, type OwnRecords, type PlannedDiff } from './guarded-rows.ts'
import type { Siblings } from './numbering.ts'
import { canCollide, hasNewOwner, heldOf, keepsOrder, memberPointer, sets, type UniqueValues } from './unique-values.ts'

/**
 * What the plan has to know about other records. One query answers all of it, except `changed`, which the request
 * itself tells. For those outside of this package, `namedLookups` puts names in place of the parts of the model.
 */
export interface Lookups {
  /** The unique values that the write sets or changes. */
  readonly changed: readonly UniqueValues[]
  /** Which of these ids exist? */
  readonly existing: IdsOf
  /** Which of the ids that rules have given exist, whoever may see them? */
  readonly existingForRules: IdsOf
  /** Which of the ids that clients give to new records are taken? */
  readonly given: IdsOf
  /** Who holds these values? */
  readonly holders: readonly {
    readonly resource: Resource
    readonly key: UniqueKey
    readonly values: readonly UniqueValues[]
  }[]
  /** Which of these targets serve a record already? */
  readonly linkHolders: ReadonlyMap<Link, readonly Id[]>
  /** Which elements have the arrays of these records, that keep their order? */
  readonly siblings: readonly ElementsAsked[]
  /** Which of these rows does no policy allow to be written? */
  readonly guarded: readonly GuardedRows<Id>[]
  /** How many records need these targets, not counting the excepted ones? */
  readonly needing: ReadonlyMap<Reference | Link, { readonly targets: readonly Id[]; readonly except: readonly Id[] }>
}

/** The elements of some records' arrays. */
export interface ElementsAsked {
  readonly array: OrderedArray
  readonly owners: readonly Id[]
  /** Whether others than the last ones matter, and those behind them that have no number: not where some are added. */
  readonly isWhole: boolean
}

type IdsOf = ReadonlyMap<Resource, ReadonlySet<Id>>

/** The answers to {@link Lookups}. A fact that is missing refuses nothing. */
export interface Facts {
  readonly existing: IdsOf
  readonly existingForRules: IdsOf
  readonly given: IdsOf
  /** The id of the record that holds the values, by the index of the values. */
  readonly holders: ReadonlyMap<UniqueKey, ReadonlyMap<number, Id>>
  /** Target id → the ids of the records that it serves. */
  readonly linkHolders: ReadonlyMap<Link, ReadonlyMap<Id, readonly Id[]>>
  readonly siblings: Siblings
  /** Target id → how many records need it. */
  readonly needing: ReadonlyMap<Reference | Link, ReadonlyMap<Id, Needing>>
  /** Pointers to what no policy allows; undefined where the body shows nothing of the row. */
  readonly forbidden: readonly (string | undefined)[]
}

/** Facts while they are collected. */
export type MutableFacts = { readonly [K in keyof Facts]: Mutable<Facts[K]> }

type Mutable<T> =
  T extends ReadonlyMap<infer Key, infer Value> ? Map<Key, Value> : T extends readonly (infer Item)[] ? Item[] : T

/** How many records need a target. */
export interface Needing {
  readonly count: number
  /** How many of them the caller may see. */
  readonly shown: number
}

const NONE: ReadonlyMap<never, never> = new Map<never, never>()
const NOTHING: readonly never[] = []

export function newFacts(): MutableFacts {
  return {
    existing: new Map(),
    existingForRules: new Map(),
    given: new Map(),
    holders: new Map(),
    linkHolders: new Map(),
    siblings: new Map(),
    needing: new Map(),
    forbidden: [],
  }
}

export const noFacts: Facts = newFacts()

/** The lookups of changes that cannot conflict with other records. */
export const noLookups: Lookups = {
  changed: [],
  existing: NONE,
  existingForRules: NONE,
  given: NONE,
  holders: [],
  linkHolders: NONE,
  siblings: [],
  guarded: [],
  needing: NONE,
}

/** `rights`: what the caller may do to other rows than its own record's. Undefined: everything. */
export function lookupsOf(diff: PlannedDiff & Pick<Diff, 'fieldRights'>, rights?: Rights, own?: OwnRecords): Lookups {
  const { changes } = diff
  const guarded = rights === undefined || own === undefined ? [] : guardedBefore(diff, rights, own)
  if (!mayMeetOthers(changes)) return guarded.length === 0 ? noLookups : { ...noLookups, guarded }
  const changed = changedUniqueValues(diff)
  return {
    changed,
    ...existingOf(changes),
    given: givenOf(changes),
    holders: holdersOf(changed),
    linkHolders: linkHoldersOf(changes),
    siblings: siblingsOf(changes),
    guarded,
    needing: needingOf(changes),
  }
}

/** Whether there is nothing to ask the database. */
export function isNothing(lookups: Lookups): boolean {
  if (lookups === noLookups) return true
  const { existing, existingForRules, given, holders, linkHolders, siblings, guarded, needing } = lookups
  const isSet =
    existing.size + existingForRules.size + given.size + linkHolders.size + siblings.length + needing.size > 0
  return !isSet && holders.length + guarded.length === 0
}

/** The unique values that a write sets or changes. */
function changedUniqueValues({ changes, fieldRights }: Pick<Diff, 'changes' | 'fieldRights'>): UniqueValues[] {
  const found: UniqueValues[] = []
  // Skips empty lists first: V8 does not optimize iterators over frozen arrays.
  for (const insert of changes.inserts) {
    const { resource, pointer } = insert
    if (resource.uniques.length === 0) continue
    for (const key of resource.uniques) {
      if (keepsOrder(key)) continue
      const values = heldOf(key, (member) => {
        if (member.kind === 'ownedBy') return insert.owner?.by === member ? insert.owner.id : null
        const value = insert.values[member.position]
        // What a new row lacks, the database may give.
        return member.kind === 'reference' ? (value ?? null) : value
      })
      if (!canCollide(values)) continue
      const place = memberPointer(key, pointer, insert.values, fieldRights)
      found.push({ resource, key, row: insert.row, values, pointer: place, before: undefined })
    }
  }
  for (const update of changes.updates) {
    const { resource, pointer } = update
    if (resource.uniques.length === 0) continue
    for (const key of resource.uniques) {
      if (!sets(update.values, key) || keepsOrder(key)) continue
      const valueBefore = (member: Field | ForeignKey) => {
        if (member.kind === 'ownedBy') return update.owner?.by === member ? update.owner.id : null
        const isUnread = member.kind === 'field' && !fieldRights.sees(member)
        return isUnread ? undefined : (update.before[member.property] ?? null)
      }
      const values = heldOf(key, (member) => {
        const value = isRowMember(member) ? update.values[member.position] : undefined
        return value === undefined ? valueBefore(member) : value
      })
      const place = memberPointer(key, pointer, update.values, fieldRights)
      found.push({ resource, key, row: update.id, values, pointer: place, before: heldOf(key, valueBefore) })
    }
  }
  return found
}

function existingOf({ inserts, updates, linked, moved }: Changes): Pick<Lookups, 'existing' | 'existingForRules'> {
  let existing: Map<Resource, Set<Id>> | undefined
  let existingForRules: Map<Resource, Set<Id>> | undefined
  const askForEach = ({ resource: { references }, values }: Insert | Update): void => {
    for (let index = 0; index < references.length; index++) {
      const reference = references[index] as Reference
      const id = givenId(values, reference)
      if (id === null || id === undefined) continue
      if (reference.setByRule) existingForRules = withId(existingForRules, reference.target, id)
      else existing = withId(existing, reference.target, id)
    }
  }
  // What comes back has named its records before: whether they are there still, and whoever sees them, is asked as it
  // is read.
  for (const insert of inserts) if (insert.comesBack === undefined) askForEach(insert)
  for (const update of updates) askForEach(update)
  for (const { link, to } of linked) existing = withId(existing, link.target, to)
  for (const { to } of moved ?? NOTHING) if (to !== undefined) existing = withId(existing, to.by.target, to.id)
  return { existing: existing ?? NONE, existingForRules: existingForRules ?? NONE }
}

/** Adds an id to those of its resource. Makes the map with the first one. */
function withId(ids: Map<Resource, Set<Id>> | undefined, resource: Resource, id: Id): Map<Resource, Set<Id>> {
  if (ids === undefined) return new Map([[resource, new Set([id])]])
  const known = ids.get(resource)
  if (known === undefined) ids.set(resource, new Set([id]))
  else known.add(id)
  return ids
}

/** That of the request's own record was looked up before. */
function givenOf({ inserts }: Changes): IdsOf {
  let given: Map<Resource, Set<Id>> | undefined
  for (const { resource, id, pointer, comesBack } of inserts) {
    if (comesBack === undefined && id !== undefined && pointer !== '' && isGivenByClient(resource.id))
      given = withId(given, resource, id)
  }
  return given ?? NONE
}

function holdersOf(changed: readonly UniqueValues[]): Lookups['holders'] {
  if (changed.length === 0) return []
  // Nobody holds values that name an owner which is not there yet.
  const askable = changed.filter((one) => canCollide(one.values) && !hasNewOwner(one))
  return groupBy(askable, ({ key }) => key).map(([key, values]) => ({
    resource: (values[0] as UniqueValues).resource,
    key,
    values,
  }))
}

function linkHoldersOf(changes: Changes): Lookups['linkHolders'] {
  if (changes.linked.length === 0) return NONE
  const targets = new Map<Link, Id[]>()
  for (const { link, to } of changes.linked) {
    if (!link.exclusive) continue
    const known = targets.get(link)
    if (known === undefined) targets.set(link, [to])
    else known.push(to)
  }
  return targets
}

/** Only records that are there have elements. */
function siblingsOf(changes: Changes): Lookups['siblings'] {
  return [...(changes.arranged ?? [])].flatMap(([array, owners]) => {
    const loses =
      removedOf(changes, array.target) !== undefined || changes.unlinked.length > 0 || changes.moved !== undefined
    const asked = [...owners].filter((one): one is [Id, Arrangement] => !isNew(one[0]))
    return groupBy(asked, ([, { pointer }]) => loses || pointer !== undefined).map(([isWhole, some]) => {
      return { array, owners: some.map(([owner]) => owner), isWhole }
    })
  })
}

/** Whom removals would take something away that they need. */
export function needingOf(changes: Changes): Lookups['needing'] {
  let needing: Map<Reference | Link, { targets: readonly Id[]; except: readonly Id[] }> | undefined
  for (const { resource: target, pointers } of changes.removed) {
    if (target.referencedBy.length + target.linkedBy.length === 0) continue
    for (const relation of [...target.referencedBy, ...target.linkedBy]) {
      if (!relation.needs) continue
      needing ??= new Map()
      needing.set(relation, { targets: [...pointers.keys()], except: removedIds(changes, relation.source) })
    }
  }
  return needing ?? NONE
}

function removedIds(changes: Changes, resource: Resource): readonly Id[] {
  return [...(removedOf(changes, resource)?.keys() ?? [])]
}
