import { type ColumnCondition, type Field, isRowMember, type RowMember, type UniqueKey } from '../../model/model.ts'
import { decimalDigits } from '../../model/values/decimals.ts'
import { type JsonSchema, textFormat } from '../../model/values/schema-facts.ts'
import { fulfils, type UniqueValues } from '../decide/unique-values.ts'
import type { Update } from '../diff/changes.ts'
import { rowMembers } from '../rows.ts'
import type { RowUpdate } from './ordered.ts'

/** Temporary values of a row. */
export interface Parking {
  /** The values that any column can have. */
  readonly parked: RowUpdate | undefined
  /** The others: no table has room for them, unless its database takes any value in any column. */
  readonly squeezed: RowUpdate | undefined
}

/**
 * Temporary values that no other row has, for a row whose unique values (`held`) others take. `number` makes the values
 * of one write different.
 */
export function parking(update: Update, held: Iterable<UniqueValues>, number: number): Parking {
  const [parked, squeezed] = [new Temporary(update), new Temporary(update)]
  for (const { key, pointer } of held) {
    const room = placeholder(key, update, number)
    if (room !== undefined) parked.set(pointer, room)
    else squeezed.set(pointer, squeezedIn(key, update, number))
  }
  return { parked: parked.row(), squeezed: squeezed.row() }
}

interface Placeholder {
  readonly member: RowMember
  readonly value: unknown
}

class Temporary {
  readonly #update: Update
  readonly #values: unknown[]
  #pointer: string | undefined

  constructor(update: Update) {
    this.#update = update
    this.#values = new Array<unknown>(update.resource.members.length)
  }

  set(pointer: string, placeholder: Placeholder | undefined): void {
    if (placeholder === undefined) return
    this.#values[placeholder.member.position] = placeholder.value
    this.#pointer ??= pointer
  }

  row(): RowUpdate | undefined {
    return this.#pointer === undefined
      ? undefined
      : { id: this.#update.id, values: this.#values, pointer: this.#pointer }
  }
}

/**
 * The row holds no value of the key once it has left the condition of the key. Else one member gets null if allowed, or
 * an unusual value. Undefined if none can have one.
 */
function placeholder(key: UniqueKey, update: Update, number: number): Placeholder | undefined {
  return leaving(key, update) ?? temporaryMember(key, update, number) ?? outsideForNow(key, update, number)
}

/** The value by which the update itself leaves the condition. */
function leaving({ where }: UniqueKey, { values }: Update): Placeholder | undefined {
  for (const { member, is } of where) {
    if (!isRowMember(member)) continue
    const value = values[member.position]
    if (value !== undefined && !fulfils(value, is)) return { member, value }
  }
  return undefined
}

/** A value outside of the condition, in a member that the update leaves as it is: afterwards it gets its value back. */
function outsideForNow({ where }: UniqueKey, { values, before }: Update, number: number): Placeholder | undefined {
  for (const { member, is } of where) {
    if (!isRowMember(member) || values[member.position] !== undefined) continue
    if (before[member.property] === undefined) continue
    const value = outside(member, is, number)
    if (value !== undefined) return { member, value }
  }
  return undefined
}

function outside(member: RowMember, is: ColumnCondition, number: number): unknown {
  if (is !== 'null' && mayBeNull(member)) return null
  if (member.kind !== 'field') return undefined
  if (member.storage !== 'boolean') return outOfTheWay(member, number)
  return typeof is === 'string' || is.value === false
}

/** The update, with the values of members that only {@link parking} changes. */
export function withParkedBack(update: Update, { values: parked }: RowUpdate): Update {
  if (!parked.some((value, position) => value !== undefined && update.values[position] === undefined)) return update
  const values = rowMembers(update.resource).map(({ property, position }) => {
    const value = update.values[position]
    return value === undefined && parked[position] !== undefined ? update.before[property] : value
  })
  return { ...update, values }
}

/** Whether its column takes null. Where several relations may own a record, one of them always does. */
function mayBeNull(member: RowMember): boolean {
  return member.nullable && (member.kind !== 'ownedBy' || member.source.ownedBy.length === 1)
}

/** For one member of the key: null if allowed, else an unusual value. */
function temporaryMember(key: UniqueKey, update: Update, number: number): Placeholder | undefined {
  const changing = changingMembers(key, update)
  for (const member of changing) if (mayBeNull(member)) return { member, value: null }
  for (const member of changing) {
    if (member.kind !== 'field') continue
    const value = outOfTheWay(member, number)
    if (value !== undefined) return { member, value }
  }
  return undefined
}

/** For a key of required references and booleans: an id that no record has, or a number in place of a boolean. */
function squeezedIn(key: UniqueKey, update: Update, number: number): Placeholder | undefined {
  const [member] = changingMembers(key, update)
  if (member === undefined) return undefined
  return { member, value: member.kind === 'field' ? LOW + number : member.target.id.unused(number) }
}

function changingMembers(key: UniqueKey, { values }: Update): readonly RowMember[] {
  return key.members.filter(isRowMember).filter((member) => values[member.position] !== undefined)
}

/** Hardly anybody uses these numbers, and most numeric columns can hold them. */
const LOW = -(2 ** 31) + 1_234_567
/** Not the last possible day, which means "never" in many tables. */
const LATE_DAY = Date.UTC(9876, 4, 3)
const DAY_MS = 86_400_000
/** The last part of a UUID. */
const LAST_NODE = 0xffff_ffff_ffff

/** A column of another type takes nothing but what has the format. */
function unusualText(format: string | undefined, number: number): string {
  switch (format) {
    case 'date-time':
      return new Date(LATE_DAY - number * 1_000).toISOString().replace('.000Z', 'Z')
    case 'duration':
      return `PT${LOW + number}S`
    case 'date-time-range':
      return `["${unusualText('date-time', number)}",)`
    case 'date-range':
      return `[${lateDay(number)},)`
    case 'uuid':
      return `ffffffff-ffff-4fff-8fff-${(LAST_NODE - number).toString(16).padStart(12, '0')}`
    case 'time':
      return `${unusualTime(number)}Z`
    case 'iso-time':
      return unusualTime(number)
    default:
      return `\u007f${number}`
  }
}

/** The lowest numbers of as many digits as the column surely has. */
function unusualDecimal(schema: JsonSchema, number: number): string {
  const digits = Math.min(decimalDigits(schema)?.before ?? SURE_DIGITS, SURE_DIGITS)
  return String(number + 1 - 10 ** digits)
}

/** Of a `numeric(10, 2)`, before the point. */
const SURE_DIGITS = 8

/** Each of another second, as a column may round what is behind it. */
function unusualTime(number: number): string {
  return `${new Date(LATE_DAY - number * 1_000).toISOString().slice(11, 19)}.987654`
}

function lateDay(number: number): string {
  return new Date(LATE_DAY - number * DAY_MS).toISOString().slice(0, 10)
}

/** The value with that number in a series of unusual values. */
function outOfTheWay({ storage, schema }: Field, number: number): unknown {
  switch (storage) {
    case 'string':
      return textFormat(schema) === 'decimal' ? unusualDecimal(schema, number) : unusualText(textFormat(schema), number)
    case 'integer':
    case 'number':
      return LOW + number
    case 'date':
      return lateDay(number)
    case 'boolean':
    case 'bytes':
    case 'json':
      return undefined
  }
}
