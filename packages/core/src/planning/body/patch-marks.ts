import { type Fault, type Problem, shortened } from '../../errors.ts'
import type { IdKind } from '../../model/ids/id-kind.ts'
import { isObject } from '../../model/is-object.ts'
import type { Field, Link, Resource } from '../../model/model.ts'
import type { BodyOperation } from '../../model/operations.ts'
import {
  addDecimals,
  type Digits,
  digitsFault,
  type ExactDecimal,
  exactDecimal,
  textOfDecimal,
} from '../../model/values/decimals.ts'
import { fieldCheck } from '../../model/values/field-check.ts'
import { LongNumber } from '../../model/values/long-number.ts'
import { textFormat } from '../../model/values/schema-facts.ts'
import type { ArrayPlace, Draft, Reading } from './draft.ts'
import { AN_OBJECT, NOT_NULL, notAnId, pointerTo } from './faults.ts'
import { idInBody, idMembersIn } from './id-of-body.ts'

// What a body may say in place of a value, or besides the values of a record: `$add` to a number, `$remove` of an
// element of an array, and `$before`, its place in one that keeps its order.

/** What a PATCH says of a number in place of a value: `{ "$add": -3 }` is added to the stored one. */
export class NumberChange {
  /** As the values of the field are spelled. */
  readonly by: number | string
  /** The most digits that the column keeps; undefined: any. */
  readonly digits: Digits | undefined

  constructor(by: number | string, digits?: Digits) {
    this.by = by
    this.digits = digits
  }
}

const ADD = '$add'

/** The numbers of a field that may be added to: of what JSON type they are, and which of its values are numbers. */
interface NumberType {
  readonly type: 'integer' | 'number' | 'string'
  readonly check: Field['check']
}

const INTEGER: NumberType = { type: 'integer', check: fieldCheck({ type: 'integer' }, 'integer') }
const NUMBER: NumberType = { type: 'number', check: fieldCheck({ type: 'number' }, 'number') }
const DECIMAL: NumberType = { type: 'string', check: fieldCheck({ type: 'string', format: 'decimal' }, 'string') }

/** Undefined for a field that has no numbers. */
export function numberTypeOf({ storage, schema }: Field): NumberType | undefined {
  if (storage === 'integer') return INTEGER
  if (storage === 'number') return NUMBER
  return storage === 'string' && textFormat(schema) === 'decimal' ? DECIMAL : undefined
}

/**
 * Reads `{ "$add": … }`. Undefined if the value is no such object, or the request is no PATCH. A part of an id never
 * changes, so nothing is added to it.
 */
export function readNumberChange(
  field: Field,
  value: unknown,
  { operation, pointer: parent, resource, reading }: Draft,
  problems: Problem[],
): NumberChange | undefined {
  if (operation !== 'patch' || !isObject(value) || !Object.hasOwn(value, ADD)) return undefined
  const type = numberTypeOf(field)
  if (type === undefined || resource.idMembers.includes(field)) return undefined
  const pointer = pointerTo(parent, field.name)
  const by = value[ADD]
  for (const name of Object.keys(value)) {
    if (name === ADD) continue
    const message = `leave it out: beside '${ADD}' there is nothing else`
    problems.push({ pointer: pointerTo(pointer, name), message, ...OTHER, params: { additionalProperty: name } })
  }
  if (field.writeOnly || !reading.fieldRights.sees(field)) {
    problems.push({ pointer, message: 'cannot be added to: an answer would tell the value', keyword: 'writeOnly' })
  }
  const at = pointerTo(pointer, ADD)
  const found = by === null ? [{ at: '', message: `must be ${A_NUMBER[type.type]}`, ...NOT_NULL }] : type.check(by)
  problems.push(...found.map(({ at: below, ...fault }) => ({ pointer: at + below, ...fault })))
  return new NumberChange(found.length === 0 ? (by as NumberChange['by']) : 0)
}

const OTHER = { keyword: 'additionalProperties' } as const
const A_NUMBER = { integer: 'an integer', number: 'a number', string: 'a decimal number' }

/**
 * The stored value after a change. Decimals are added exactly, and have as many places as the number that has more;
 * numbers are added as doubles. What the schema says of values, and what the column keeps, holds for the result.
 */
export function changedNumber(
  field: Field,
  { by, digits }: NumberChange,
  stored: unknown,
): { readonly value: unknown } | { readonly faults: readonly (Fault & { readonly at: string })[] } {
  if (stored === null || stored === undefined) return { faults: [NO_VALUE] }
  const value = typeof by === 'string' ? decimalSum(by, stored) : by + Number(stored)
  // What is added to a number with more digits than JavaScript keeps would be lost. That number itself is refused.
  const faults = [...field.check(stored instanceof LongNumber ? stored.valueOf() : value)]
  const tooLong = digits && digitsFault(String(value), digits)
  if (tooLong !== undefined) faults.push({ at: '', ...tooLong })
  return faults.length === 0 ? { value } : { faults }
}

const NO_VALUE = { at: '', message: 'has no value to add to: it is null', ...NOT_NULL }

function decimalSum(by: string, stored: unknown): string {
  return textOfDecimal(addDecimals(exactDecimal(by) as ExactDecimal, exactDecimal(stored) as ExactDecimal))
}

/** Marks an element of an array in a PATCH whose record, or link, is to go. */
export const REMOVE = '$remove'

/** What an element says besides that its record goes. */
interface Removal {
  readonly element: Readonly<Record<string, unknown>>
  readonly removedAt: string
}

/**
 * Reads an element of an array with the mark; undefined if it has none, or the request is no PATCH. The element has
 * nothing but what names its record.
 */
export function readRemoval(
  resource: Resource,
  operation: BodyOperation,
  given: unknown,
  pointer: string,
  problems: Problem[],
): Removal | undefined {
  if (operation !== 'patch' || !isObject(given) || !Object.hasOwn(given, REMOVE)) return undefined
  const { [REMOVE]: mark, ...element } = given
  if (mark === undefined) return undefined
  const removedAt = pointerTo(pointer, REMOVE)
  const refuse = (message: string, keyword: string) => problems.push({ pointer: removedAt, message, keyword })
  const naming = ['id', ...idMembersIn(resource).map(({ property }) => property)]
  const other = Object.keys(element).find((name) => !naming.includes(name))
  if (mark !== true) refuse('must be true, or left out', 'const')
  else if (other !== undefined) refuse(`takes the ${resource.key} away: leave out everything but its id`, 'not')
  else if (element.id === undefined && idInBody(resource, element) === undefined)
    refuse(`names no ${resource.key}: say which one by its id`, 'required')
  return { element, removedAt }
}

/** The mark where it has no meaning. */
export function refuseRemoval(operation: BodyOperation, parent: string, problems: Problem[]): void {
  const message =
    operation === 'patch'
      ? 'is for elements of an array in a record: a DELETE removes the record itself, and null the only one of its kind'
      : 'is for a PATCH: leave out the element'
  problems.push({ pointer: pointerTo(parent, REMOVE), message, keyword: 'not' })
}

/** Says which element of an array that keeps its order comes behind a record, or behind a link to one. */
export const BEFORE = '$before'

/** Whether an owner's array may keep the order of such records. */
export function isPlaced({ ownedBy }: Resource): boolean {
  return ownedBy.some(({ inverse }) => inverse.order !== undefined)
}

/** Reads the mark. Undefined where it has no meaning, or names nothing: then the problem is noted. */
export function readPlace(
  kind: IdKind,
  value: unknown,
  parent: string,
  { isInReplace }: Pick<Reading, 'isInReplace'>,
  problems: Problem[],
): ArrayPlace | undefined {
  const pointer = pointerTo(parent, BEFORE)
  if (isInReplace) {
    problems.push({
      pointer,
      message: 'is for a PATCH or a POST: a PUT has the elements in their order',
      keyword: 'not',
    })
    return undefined
  }
  const before = value === null ? null : kind.fromJson(value)
  if (before === undefined) problems.push({ pointer, ...notAnId(kind) })
  return before === undefined ? undefined : { before, pointer }
}

/** Where the body of a link's address says its place. */
export const PLACE_OF_LINK = pointerTo('', BEFORE)

/**
 * Reads the body of a link's address, which says nothing but the place of the link: undefined if it says none. Where
 * the array keeps no order, there is nothing to say.
 */
export function readPlaceOfLink({ order, target }: Link, body: unknown, problems: Problem[]): ArrayPlace | undefined {
  if (body === undefined || (isObject(body) && Object.keys(body).length === 0)) return undefined
  if (order === undefined) {
    problems.push(NO_VALUES)
    return undefined
  }
  const others = isObject(body) ? Object.keys(body).filter((name) => name !== BEFORE) : []
  if (!isObject(body))
    problems.push({ pointer: '', message: `must be an object with '${BEFORE}', or left out`, ...AN_OBJECT })
  for (const name of others) {
    const params = { additionalProperty: shortened(name) }
    problems.push({
      pointer: pointerTo('', name),
      message: `leave it out: a link has '${BEFORE}' only`,
      ...OTHER,
      params,
    })
  }
  return isObject(body) && body[BEFORE] !== undefined
    ? readPlace(target.id, body[BEFORE], '', { isInReplace: false }, problems)
    : undefined
}

const NO_VALUES: Problem = {
  pointer: '',
  message: 'a link has no values of its own: leave out the body',
  keyword: 'maxProperties',
  params: { limit: 0 },
}

/** The mark of a record that is in no array which keeps its order. */
export function placeOutside({ pointer }: ArrayPlace): Problem {
  return { pointer, message: 'is for elements of an array that keeps its order', keyword: 'not' }
}
