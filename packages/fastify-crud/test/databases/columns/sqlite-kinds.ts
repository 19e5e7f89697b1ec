import fc from 'fast-check'
import type { ColumnKind, Schema, StoredValue } from './column-kind.ts'
import { anyText, date, dateTime, decimal, duration, json, moment, time, uuid } from './stored-texts.ts'

const text = (options: object): Schema => ({ type: 'string', ...options })
const at = (stored: unknown): Schema => text({ format: 'date-time', stored })
const texts = (values: fc.Arbitrary<string>) => ({ shown: values, bodies: values })

const blob = fc.constantFrom(Buffer.alloc(0), Buffer.from('blob'), Buffer.from([0, 255]))
const noNumber = fc.oneof(
  blob,
  fc.constantFrom<StoredValue>('abc', '', '1,2', Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY),
)
const noMoment = fc.oneof(blob, fc.constantFrom<StoredValue>('soon', '', '2026-02-30 12:00:00', '2026-01-01 25:00:00'))
const seconds = fc.integer({ min: -2_000_000_000, max: 4_000_000_000 })
const doubles = fc.oneof(
  fc.constantFrom(0, -0, 0.1, 1e21, 5e-324, 1.7976931348623157e308),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
)

/** Columns of SQLite, which take any value. */
export const sqliteKinds: readonly ColumnKind[] = [
  { type: 'text', ...texts(anyText), unshown: blob },
  { type: 'varchar(5)', ...texts(anyText) },
  { type: 'text collate nocase', ...texts(anyText), unshown: blob, equality: 'own' },
  {
    type: 'integer',
    shown: fc.maxSafeInteger(),
    unshown: fc.oneof(noNumber, fc.constantFrom(1.5, -0.5, 9007199254740993n, -9223372036854775808n)),
    bodies: fc.maxSafeInteger(),
  },
  { type: 'real', shown: doubles, unshown: noNumber, bodies: doubles },
  { type: 'numeric', schema: { type: 'number' }, shown: doubles, unshown: noNumber, bodies: doubles, respells: true },
  { type: 'boolean', shown: fc.constantFrom(0, 1), bodies: fc.boolean() },
  {
    type: 'text',
    schema: { type: 'boolean', stored: 'tf' },
    shown: fc.constantFrom('t', 'f', 'true', 'false'),
    unshown: fc.constantFrom<StoredValue>('y', '', Buffer.from('t')),
    bodies: fc.boolean(),
    respells: true,
  },
  {
    type: 'json',
    shown: json.map((one) => JSON.stringify(one)),
    unshown: fc.oneof(blob, fc.constantFrom('', 'nope', '{a:1}', '[1,]', '"\u0001"', '1 2')),
    bodies: json,
  },
  {
    type: 'blob',
    shown: fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes)),
    unshown: fc.constantFrom<StoredValue>('YQ==', '', 1),
    bodies: fc.uint8Array({ maxLength: 80 }).map((bytes) => Buffer.from(bytes).toString('base64')),
  },
  { type: 'uuid', ...texts(uuid), unshown: blob },
  { type: 'date', schema: text({ format: 'date' }), ...texts(date), unshown: blob },
  { type: 'time', ...texts(time(6)), unshown: blob },
  { type: 'text', schema: text({ format: 'date-time' }), ...texts(dateTime(6)), unshown: blob },
  { type: 'text', schema: text({ format: 'decimal' }), ...texts(decimal(20, 9)), unshown: blob },
  { type: 'text', schema: text({ format: 'duration' }), ...texts(duration), unshown: blob },
  { type: 'datetime', schema: at('space'), shown: moment(6, ' '), unshown: noMoment, bodies: dateTime(6) },
  { type: 'timestamp', schema: at('T'), shown: moment(6, 'T'), unshown: noMoment, bodies: dateTime(6) },
  {
    type: 'integer',
    schema: at('seconds'),
    shown: seconds,
    unshown: fc.oneof(noMoment, fc.constant(9e18)),
    bodies: dateTime(0),
  },
  {
    type: 'real',
    schema: at('seconds'),
    shown: fc.tuple(seconds, fc.nat(999)).map(([whole, rest]) => whole + rest / 1000),
    unshown: noMoment,
    bodies: dateTime(3),
    respells: true,
  },
  {
    type: 'integer',
    schema: at('milliseconds'),
    shown: fc.tuple(seconds, fc.nat(999)).map(([whole, rest]) => whole * 1000 + rest),
    unshown: noMoment,
    bodies: dateTime(3),
  },
  {
    type: 'real',
    schema: at('julian'),
    shown: seconds.map((one) => one / 86_400 + 2_440_587.5),
    unshown: noMoment,
    bodies: dateTime(3),
    respells: true,
  },
]
