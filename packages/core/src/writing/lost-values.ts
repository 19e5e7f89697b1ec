import type { BodyProblem } from '../errors.ts'
import type { Field } from '../model/model.ts'
import { momentInUtc } from '../model/values/moment-in-utc.ts'
import { textFormat } from '../model/values/text-format.ts'
import type { Draft } from '../planning/body/draft.ts'
import { pointerTo } from '../planning/body/pointer.ts'
import type { Digits, LearnedTypes } from '../sql/dialect/postgres/learned-types.ts'

/**
 * The values of a body that their columns cannot give back, because of their types: no schema says what only the database knows. PostgreSQL rounds
 * what is behind the point, in silence, and has no `date-time` for a moment before the year 1 or behind the year 9999.
 */
export function lostValues(types: LearnedTypes, draft: Draft, problems: BodyProblem[] = []): readonly BodyProblem[] {
  const { resource, values, owned, pointer } = draft
  for (const field of resource.fields) {
    const value = values[field.position]
    const problem = typeof value === 'string' ? problemOf(types, field, value) : undefined
    if (problem !== undefined) problems.push({ pointer: pointerTo(pointer, field.property), ...problem })
  }
  for (const one of owned.flat()) if (one) lostValues(types, one, problems)
  return problems
}

function problemOf(types: LearnedTypes, field: Field, value: string): Omit<BodyProblem, 'pointer'> | undefined {
  const digits = types.digitsOf(field)
  if (digits !== undefined && !fits(value, digits)) {
    return { message: messageFor(digits), keyword: 'digits', params: { ...digits } }
  }
  return isOfOtherYear(value) && holdsMoments(types, field) ? OF_OTHER_YEAR : undefined
}

/** Zeros at either end are not lost. */
function fits(decimal: string, { before, behind }: Digits): boolean {
  const [whole = '', fraction = ''] = decimal.replace('-', '').split('.')
  return whole.replace(/^0/, '').length <= before && !/[1-9]/.test(fraction.slice(behind))
}

function messageFor({ before, behind }: Digits): string {
  return `must have at most ${before} digits before the point and ${behind} behind it`
}

/** A column of texts keeps any `date-time` as it is. */
function holdsMoments(types: LearnedTypes, field: Field): boolean {
  if (textFormat(field.schema) !== 'date-time') return false
  const type = types.typeOf(field)
  return field.stored !== undefined || type === 'timestamptz' || type === 'timestamp'
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
