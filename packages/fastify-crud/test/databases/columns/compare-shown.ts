import { compareDecimals, compareTexts } from '../../property-reading/compare-values.ts'
import { type Column, type Field, schemaOf } from './column-kind.ts'

/** Compares two values that answers show, neither of them null; undefined: filters and sorts do not take the field. */
export type CompareShown = (one: never, other: never) => number

/** How a database compares the values of a field, by the documentation. */
export function compareShown(
  database: 'sqlite' | 'postgres',
  { kind }: Column,
  field: Field,
): CompareShown | undefined {
  const { storage } = field
  if (storage === 'json' || storage === 'bytes') return undefined
  if (storage === 'integer' || storage === 'number' || storage === 'boolean')
    return (one, other) => Number(one) - Number(other)
  switch (schemaOf(field).format) {
    case 'decimal':
      return compareDecimals
    case 'date-time':
      return (one, other) => signOf(momentOf(one, database) - momentOf(other, database))
    case 'duration':
      return kind.type === 'text' ? compareTexts : (one, other) => signOf(lengthOf(one) - lengthOf(other))
    default:
      return compareTexts
  }
}

function signOf(difference: bigint): number {
  return difference < 0n ? -1 : difference > 0n ? 1 : 0
}

/** Since 1970: on PostgreSQL microseconds, of which further digits do not count, on SQLite milliseconds, rounded. */
function momentOf(text: string, database: 'sqlite' | 'postgres'): bigint {
  const digits = /(?<=[.])\d+/.exec(text)?.[0] ?? ''
  const seconds = BigInt(Date.parse(text.replace(/[.]\d+/, ''))) / 1000n
  if (database === 'postgres') return seconds * 1_000_000n + BigInt(digits.slice(0, 6).padEnd(6, '0'))
  return seconds * 1000n + BigInt(Math.floor(Number(`0.${digits || 0}`) * 1000 + 0.5))
}

/** In microseconds: a month has 30 days, a day 24 hours. */
function lengthOf(text: string): bigint {
  const [, date = '', time = ''] = /^P([^T]*)T?(.*)$/.exec(text) ?? []
  const part = (of: string, letter: string): bigint => {
    const [, sign, whole = '0', rest = ''] = new RegExp(`(-?)(\\d+)(?:[.](\\d+))?${letter}`).exec(of) ?? []
    const amount = BigInt(whole) * 1_000_000n + BigInt(rest.slice(0, 6).padEnd(6, '0'))
    return sign === '-' ? -amount : amount
  }
  const days = part(date, 'Y') * 360n + part(date, 'M') * 30n + part(date, 'W') * 7n + part(date, 'D')
  return days * 86_400n + part(time, 'H') * 3_600n + part(time, 'M') * 60n + part(time, 'S')
}
