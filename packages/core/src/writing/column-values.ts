import type { BodyProblem } from '../errors.ts'
import { hasForm } from '../model/descriptors/stored.ts'
import type { Field } from '../model/model.ts'
import { type Digits, digitsFault } from '../model/values/decimals.ts'
import { momentInUtc } from '../model/values/long-number.ts'
import { textFormat } from '../model/values/schema-facts.ts'
import type { Draft, MutableDraft } from '../planning/body/draft.ts'
import { pointerTo } from '../planning/body/faults.ts'
import { NumberChange } from '../planning/body/patch-marks.ts'
import type { LearnedType, LearnedTypes } from '../sql/dialect/postgres/learned-types.ts'

/**
 * The values of a body that their columns cannot give back, because of their types: no schema says what only the
 * database knows. PostgreSQL rounds what is behind the point, in silence, and has no `date-time` for a moment before
 * the year 1 or behind the year 9999.
 */
export function lostValues(types: LearnedTypes, draft: Draft, problems: BodyProblem[] = []): readonly BodyProblem[] {
  const { resource, values, owned, pointer } = draft
  for (const field of resource.fields) {
    const value = values[field.position]
    const problem = typeof value === 'string' ? problemOf(types, field, value) : undefined
    if (value instanceof NumberChange) (draft as MutableDraft).values[field.position] = ofColumn(types, field, value)
    if (problem !== undefined) problems.push({ pointer: pointerTo(pointer, field.property), ...problem })
  }
  for (const one of owned.flat()) if (one) lostValues(types, one, problems)
  return problems
}

function problemOf(types: LearnedTypes, field: Field, value: string): Omit<BodyProblem, 'pointer'> | undefined {
  const digits = types.digitsOf(field)
  const fault = digits && digitsFault(value, digits)
  if (fault !== undefined) return fault
  if (isOfOtherYear(value) && holdsMoments(types, field)) return OF_OTHER_YEAR
  return problemOfOffset(types.typeOf(field), value)
}

/** PostgreSQL leaves an offset out where the column has none, and takes that of the session where it lacks. */
function problemOfOffset(type: LearnedType | undefined, time: string): Omit<BodyProblem, 'pointer'> | undefined {
  if (type === 'time') return OFFSET.test(time) ? WITH_OFFSET : undefined
  return type === 'timetz' && !OFFSET.test(time) ? WITHOUT_OFFSET : undefined
}

const OFFSET = /(?:z|[+-]\d\d(?::?\d\d)?)$/i

const WITH_OFFSET = {
  message: 'must have no offset, as its column keeps none',
  keyword: 'storable',
  params: { not: 'offset' },
} as const

const WITHOUT_OFFSET = {
  message: 'must have an offset, such as Z, as its column has one',
  keyword: 'storable',
  params: { not: 'local time' },
} as const

/** What is added to a number in a column that keeps some digits: the sum has to have no more. */
function ofColumn(types: LearnedTypes, field: Field, { by }: NumberChange): NumberChange {
  return new NumberChange(by, typeof by === 'string' ? types.digitsOf(field) : undefined)
}

/**
 * Spells values of a draft as their columns give them back. So what was sent in another spelling, such as a moment that
 * JavaScript prints with three digits, is no change.
 */
export function spellAsStored(types: LearnedTypes, draft: Draft): void {
  const { resource, values, unfit, owned } = draft as MutableDraft
  for (const field of resource.fields) {
    const value = values[field.position]
    const type = types.typeOf(field)
    if (type === undefined || typeof value !== 'string') continue
    // The id of the record has the part as the body spells it.
    if (unfit.has(field.position) || resource.idMembers.includes(field)) continue
    values[field.position] = spelled(type, types.digitsOf(field), value)
  }
  for (const one of owned.flat()) if (one) spellAsStored(types, one)
}

function spelled(type: LearnedType, digits: Digits | undefined, value: string): string {
  if (digits !== undefined) return decimalWith(digits, value)
  return type === 'timestamptz' || type === 'timestamp' ? storedMoment(value) : value
}

function decimalWith({ behind }: Digits, decimal: string): string {
  const [whole = '', fraction = ''] = decimal.split('.')
  return behind === 0 ? whole : `${whole}.${fraction.slice(0, behind).padEnd(behind, '0')}`
}

/** In UTC, with six digits at most, and without zeros at the end. PostgreSQL rounds as doubles do. */
function storedMoment(text: string): string {
  const moment = momentInUtc(text)
  const [second = '', rest = ''] = moment.slice(0, -1).split('.')
  const fraction = `0.${rest}`
  const micros = Math.round(Number(fraction) * MICROSECONDS)
  if (micros === MICROSECONDS) return `${new Date(Date.parse(`${second}Z`) + 1_000).toISOString().slice(0, -5)}Z`
  return micros === 0 ? `${second}Z` : `${second}.${String(micros).padStart(6, '0').replace(/0+$/, '')}Z`
}

const MICROSECONDS = 1_000_000

/** A column of texts keeps any `date-time` as it is. */
function holdsMoments(types: LearnedTypes, field: Field): boolean {
  if (textFormat(field.schema) !== 'date-time') return false
  const type = types.typeOf(field)
  return hasForm(field.stored) || type === 'timestamptz' || type === 'timestamp'
}

/** Offsets lead out of the years that a `date-time` can name. */
function isOfOtherYear(text: string): boolean {
  return /^(?:000[01]|9999)-\d\d-\d\dT/i.test(text) && !/^(?!0000)\d{4}-/.test(momentInUtc(text))
}

const OF_OTHER_YEAR = {
  message: 'must be a moment of the years 1 to 9999 in UTC',
  keyword: 'storable',
  params: { not: 'year' },
} as const
