import type { DatabaseName } from './tables.ts'

/**
 * A `date-time` of a body as answers show it. The column that `createTables` makes keeps the text on SQLite, and the moment on PostgreSQL,
 * which has six digits behind the second.
 */
export function shownMoment(database: DatabaseName, text: string): string {
  return database === 'sqlite' ? text : momentInUtc(text)
}

function momentInUtc(text: string): string {
  const [, digits = ''] = /[.](\d+)/.exec(text) ?? []
  const micros = BigInt(Date.parse(text.replace(/[.]\d+/, ''))) * 1_000n + roundedTo(6, digits)
  const whole = micros >= 0n ? micros / 1_000_000n : -((-micros + 999_999n) / 1_000_000n)
  const fraction = String(micros - whole * 1_000_000n)
    .padStart(6, '0')
    .replace(/0+$/, '')
  const second = new Date(Number(whole) * 1_000).toISOString().slice(0, 19)
  return `${second}${fraction && '.'}${fraction}Z`
}

/** The first digits, as a number. Half of the last one is rounded up. */
function roundedTo(places: number, digits: string): bigint {
  const next = digits[places] ?? '0'
  return BigInt(digits.slice(0, places).padEnd(places, '0')) + (next >= '5' ? 1n : 0n)
}
