import type { Problem } from '../../errors.ts'
import { ALL_FIELDS, type FieldRights } from '../../model/field-rights.ts'
import type { Id } from '../../model/ids/id-kind.ts'
import type { Link, Resource } from '../../model/model.ts'
import type { BodyOperation } from '../../model/operations.ts'
import { type LongNumbers, NO_LONG_NUMBERS } from '../../model/values/long-number.ts'
import type { MemberValues } from '../rows.ts'
import { pointerTo } from './faults.ts'

/**
 * A body that fits its resource: every property is known, every value has the right type, defaults are filled in. In
 * `create` and `replace`, every member and relation has an entry, except what stays as it is (see `fillIn`). In
 * `patch`, what the body does not name is undefined.
 */
export interface Draft {
  readonly resource: Resource
  /** What the body asks for this record: an element without an id is created, whatever is done to its owner. */
  readonly operation: BodyOperation
  readonly reading: Reading
  /** JSON pointer of this object in the request's body. */
  readonly pointer: string
  /** The id of the record: as the body has it, or as the library has assigned it to a new record. */
  readonly id: Id | undefined
  /** Whether the body says that its record is a part of one, as answers with `fields` do. Only a PATCH may say so. */
  readonly isPartial: boolean
  /** Where the body says that the record goes. Only an element of an array in a PATCH may say so. Undefined: it
   * stays. */
  readonly removedAt: string | undefined
  /** Where the record is to be in its owner's array, as the body says; undefined: it says nothing of it. */
  readonly place: ArrayPlace | undefined
  /** In a PATCH, a number may have a `NumberChange` in place of a value. */
  readonly values: MemberValues
  /** What is wrong with values that do not fit, unless the record shows the same: by the position of the field. */
  readonly unfit: ReadonlyMap<number, readonly Problem[]>
  /** By the relation's position: one record or null, or a list. */
  readonly owned: readonly (Draft | null | readonly Draft[] | undefined)[]
  /** By the link's position. */
  readonly links: readonly (readonly LinkElement[] | undefined)[]
  /** The object itself. A PATCH reads it again, as the body of a create, if there is no child to change. */
  readonly body: Readonly<Record<string, unknown>>
}

/** A place in an array that keeps its order. */
export interface ArrayPlace {
  /** The element that comes behind it: its short id; null: the place is the end. */
  readonly before: Id | null
  /** It is the whole id, as a request that names no owner has it. Default: false. */
  readonly isWhole?: boolean
  /** In place of `before`, where a link comes back: the whole id of the element before it; null: it is the first. */
  readonly behind?: Id | null
  readonly pointer: string
}

/** What holds for all records in a body. */
export interface Reading {
  /** Whether the request is a PUT, which ignores read-only values. A PUT may create records in what the record owns. */
  readonly isInReplace: boolean
  /** Resources whose records the client may not see. */
  readonly hidden: InvisibleResources
  /** Which fields the client may see and set. */
  readonly fieldRights: FieldRights
  /** Resources of which policies may hide some records from the client, so that a record seems to lack what it must
   * have. */
  readonly partlyHidden: InvisibleResources
  /** Numbers of the body that would lose digits. The values of its drafts have the nearest ones. */
  readonly long: LongNumbers
  /** All that is wrong with values that a stored record may show the same (`Draft.unfit`). */
  readonly unfit: Problem[]
}

/** Resources whose records are not there for the client. */
export type InvisibleResources = ReadonlySet<Resource>

export const NOTHING_HIDDEN: InvisibleResources = new Set()

/** Without anything else: the reading of a client that sees all. */
export function readingOf(
  operation: BodyOperation,
  {
    hidden = NOTHING_HIDDEN,
    partlyHidden = NOTHING_HIDDEN,
    fieldRights = ALL_FIELDS,
    long = NO_LONG_NUMBERS,
  }: Partial<Reading> = {},
): Reading {
  return { isInReplace: operation === 'replace', hidden, partlyHidden, fieldRights, long, unfit: [] }
}

/** Of most drafts: all values fit. */
export const ALL_FIT: Draft['unfit'] = new Map()

/** A draft while its lists are filled. */
export interface MutableDraft extends Draft {
  id: Id | undefined
  isPartial: boolean
  place: ArrayPlace | undefined
  readonly values: unknown[]
  unfit: ReadonlyMap<number, readonly Problem[]>
  readonly owned: Draft['owned'][number][]
  readonly links: Draft['links'][number][]
  body: Draft['body']
}

/** One element of a `needs.many` or `knows.many` array. */
export interface LinkElement {
  readonly id: Id
  readonly pointer: string
  /** The link to that record goes: so says a PATCH, or the request removes the link by its address. */
  readonly isRemoved: boolean
  /** Where the array keeps its order: the place that the body says. */
  readonly place?: ArrayPlace | undefined
}

/** One link of a record, which a request adds or removes by its address. */
export interface LinkChange {
  readonly link: Link
  /** The id of the record at the other end. */
  readonly to: Id
  readonly isRemoved: boolean
  readonly place?: ArrayPlace | undefined
}

/** A PATCH that says nothing but this. There is no body: problems point to where one would name the record at the other
 * end. */
export function linkDraft({ link, to, isRemoved, place }: LinkChange, reading: Reading): Draft {
  const { source: resource } = link
  const links = new Array(resource.links.length)
  // An id that no record can have names nothing.
  const isPossible = link.target.id.fromJson(to) !== undefined
  links[link.position] = isPossible ? [{ id: to, pointer: pointerOf(link), isRemoved, place }] : []
  return {
    resource,
    operation: 'patch',
    reading,
    pointer: '',
    id: undefined,
    isPartial: false,
    removedAt: undefined,
    place: undefined,
    unfit: ALL_FIT,
    values: new Array(resource.members.length),
    owned: new Array(resource.owns.length),
    links,
    body: NO_BODY,
  }
}

/** The pointer that problems of a link have, which is one of a body. */
function pointerOf({ name }: Link): string {
  return pointerTo('', name)
}

const NO_BODY = Object.freeze({})

/**
 * Gives the new records in a body the ids that the library assigns, in the order of the body. Those that have one keep
 * it. Throws what an application's `assign` throws.
 */
export function assignIds(draft: Draft): void {
  for (const one of draftsThatNeedIds(draft)) if (one.id === undefined) one.id = one.resource.id.assign?.()
}

/** The new records in a body whose ids the library assigns: owners before what they own. */
export function draftsThatNeedIds(draft: Draft): readonly MutableDraft[] {
  if (!draft.resource.assignsIds) return NONE
  const found: MutableDraft[] = []
  const visit = (one: Draft): void => {
    if (!one.resource.assignsIds) return
    if (one.operation === 'create' && one.resource.id.assign !== undefined) found.push(one as MutableDraft)
    for (const owned of one.owned) for (const child of [owned ?? []].flat() as readonly Draft[]) visit(child)
  }
  visit(draft)
  return found
}

const NONE: readonly never[] = []
