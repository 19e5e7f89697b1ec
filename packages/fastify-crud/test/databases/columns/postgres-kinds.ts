import fc from 'fast-check'
import type { ColumnKind, Schema } from './column-kind.ts'
import {
  anyText,
  date,
  dateTime,
  decimal,
  duration,
  fraction,
  json,
  moment,
  shortText,
  time,
  uuid,
} from './stored-texts.ts'

const text = (options: object): Schema => ({ type: 'string', ...options })

const unshownDates = fc.constantFrom('infinity', '-infinity', '0044-03-15 BC', '12026-01-01', '5874897-12-31')
const unshownMoments = fc.constantFrom('infinity', '-infinity', '0044-03-15 12:00:00 BC', '12026-01-01 00:00:00.5')
const integers = (most: number) =>
  fc.oneof(fc.constantFrom(0, 1, -1, most, -most - 1), fc.integer({ min: -most, max: most }))
const doubles = fc.oneof(
  fc.constantFrom(0, -0, 0.1, 1e21, 5e-324, 1.7976931348623157e308, 123456789.125),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
)
const texts = (values: fc.Arbitrary<string>) => ({ shown: values, bodies: values })
const numbers = (values: fc.Arbitrary<number>) => ({
  shown: values.map((one) => (Object.is(one, -0) ? '-0' : String(one))),
  bodies: values,
})
const noNumbers = fc.constantFrom('NaN', 'Infinity', '-Infinity')
const spans = fc.oneof(
  duration,
  fc.constantFrom(
    '1 year 2 mons -3 days +04:05:06.789',
    '-00:00:00.000001',
    '0',
    '178000000 years',
    '-1 year 10:00',
    '30 days',
    '720:00:00',
    '1 mon',
  ),
)
const labels = ['', ' ', 'a,b', 'null', '"', '\\', "it's", 'B', 'a', 'ü']
const enumType = `create type odd as enum (${labels.map((label) => `'${label.replaceAll("'", "''")}'`).join(', ')})`

/** An array of the elements, as PostgreSQL reads it, and as JSON has it. */
function arrayOf(type: string, elements: fc.Arbitrary<string | number | boolean>): ColumnKind {
  const lists = fc.array(fc.option(elements, { freq: 4 }), { maxLength: 4 })
  const inBraces = (list: readonly unknown[]) =>
    `{${list.map((one) => (one === null ? 'NULL' : `"${String(one).replaceAll(/["\\]/g, '\\$&')}"`)).join(',')}}`
  return { type: `${type}[]`, shown: lists.map(inBraces), bodies: lists }
}

function extension(name: string): readonly string[] {
  return [`create extension if not exists ${name}`]
}

const ltrees = fc.array(fc.constantFrom('top', 'a', 'B_1', '9'), { maxLength: 3 }).map((parts) => parts.join('.'))
const hstores = fc.dictionary(anyText, fc.option(anyText), { maxKeys: 2, noNullPrototype: true }).map((pairs) =>
  Object.entries(pairs)
    .map(([key, value]) => `${quoted(key)}=>${value === null ? 'NULL' : quoted(value)}`)
    .join(', '),
)

function quoted(value: string): string {
  return `"${value.replaceAll(/["\\]/g, '\\$&')}"`
}

const bits = (length: number) =>
  fc.array(fc.constantFrom('0', '1'), { minLength: length, maxLength: length }).map((all) => all.join(''))
const ranges = (bounds: fc.Arbitrary<string>) =>
  fc.oneof(
    fc.constantFrom('empty', '(,)'),
    fc
      .tuple(fc.constantFrom('[', '('), bounds, fc.constantFrom(']', ')'))
      .map(([from, bound, to]) => `${from}${bound},${to}`),
    fc
      .tuple(fc.constantFrom('[', '('), bounds, fc.constantFrom(']', ')'))
      .map(([from, bound, to]) => `${from},${bound}${to}`),
    bounds.map((bound) => `[${bound},${bound}]`),
  )

/** As a bound of a range, infinity is shown. */
const isFiniteBound = (moment: string) => !moment.includes('infinity')

/** Columns of PostgreSQL. */
export const postgresKinds: readonly ColumnKind[] = [
  { type: 'text', ...texts(anyText) },
  { type: 'varchar(5)', ...texts(shortText(5)) },
  { type: 'name', ...texts(shortText(10)) },
  { type: 'character(4)', ...texts(shortText(4).map((one) => one.replace(/ +$/, ''))), equality: 'own' },
  { type: 'citext', before: extension('citext'), ...texts(anyText), equality: 'own' },
  {
    type: 'text collate no_case',
    before: ["create collation no_case (provider = icu, locale = 'und-u-ks-level2', deterministic = false)"],
    ...texts(anyText),
    equality: 'own',
  },
  { type: 'odd', before: [enumType], ...texts(fc.constantFrom(...labels)) },
  { type: 'odd_again', before: [enumType, 'create domain odd_again as odd'], ...texts(fc.constantFrom(...labels)) },
  { type: 'word', before: ['create domain word as text check (length(value) < 20)'], ...texts(shortText(19)) },
  { type: 'uuid', ...texts(uuid) },
  { type: 'smallint', ...numbers(integers(32_767)) },
  { type: 'integer', ...numbers(integers(2_147_483_647)) },
  {
    type: 'bigint',
    ...numbers(fc.oneof(fc.maxSafeInteger(), fc.constantFrom(Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER))),
    unshown: fc.constantFrom('9007199254740993', '-9223372036854775808', '9223372036854775807'),
  },
  { type: 'double precision', ...numbers(doubles), unshown: noNumbers },
  {
    type: 'real',
    ...numbers(fc.oneof(fc.constantFrom(0, -0, 0.5), fc.float({ noNaN: true, noDefaultInfinity: true }))),
    unshown: noNumbers,
  },
  { type: 'numeric', ...texts(decimal(25, 12)), unshown: noNumbers },
  { type: 'numeric(6,2)', ...texts(decimal(4, 2)), unshown: fc.constant('NaN') },
  { type: 'numeric(3,5)', ...texts(fc.constantFrom('0.00999', '-0.00001', '0', '0.005')), respells: true },
  { type: 'price', before: ['create domain price as numeric(5,2)'], ...texts(decimal(3, 2)) },
  { type: 'numeric', schema: { type: 'number' }, ...numbers(doubles), respells: true },
  { type: 'money', ...texts(decimal(14, 2)) },
  { type: 'boolean', shown: fc.constantFrom('t', 'f'), bodies: fc.boolean() },
  { type: 'jsonb', shown: json.map((one) => JSON.stringify(one)), bodies: json },
  { type: 'json', shown: json.map((one) => JSON.stringify(one, undefined, 1)), bodies: json, respells: true },
  {
    type: 'bytea',
    shown: fc.uint8Array({ maxLength: 40 }).map((bytes) => `\\x${Buffer.from(bytes).toString('hex')}`),
    bodies: fc.uint8Array({ maxLength: 80 }).map((bytes) => Buffer.from(bytes).toString('base64')),
  },
  { type: 'date', ...texts(date), unshown: unshownDates },
  { type: 'time', ...texts(time(6)), unshown: fc.constant('24:00:00') },
  { type: 'time(2)', ...texts(time(2)) },
  {
    type: 'timetz',
    ...texts(fc.tuple(time(6), fc.constantFrom('Z', '+02:00', '-05:00', '+05:30')).map((parts) => parts.join(''))),
    unshown: fc.constantFrom('24:00:00+00', '12:00:00+01:02:03'),
  },
  { type: 'timestamp', shown: moment(6, ' '), unshown: unshownMoments, bodies: dateTime(6) },
  { type: 'timestamp(0)', shown: moment(0, ' '), unshown: fc.constant('infinity'), bodies: dateTime(3) },
  {
    type: 'instant',
    before: ['create domain instant as timestamptz'],
    shown: dateTime(6),
    unshown: unshownMoments,
    bodies: dateTime(6),
  },
  { type: 'timestamptz', shown: dateTime(6), unshown: unshownMoments, bodies: dateTime(6) },
  { type: 'timestamptz(3)', shown: dateTime(3), bodies: dateTime(3) },
  {
    type: 'timestamp',
    schema: text({ format: 'date-time', stored: 'utc' }),
    shown: moment(6, ' '),
    unshown: unshownMoments,
    bodies: dateTime(6),
  },
  {
    type: 'timestamp',
    schema: text({ format: 'date-time', stored: { zone: 'Europe/Vienna' } }),
    // What is doubled in autumn is standard time, and what spring leaves out is no time of the zone.
    shown: moment(6, ' ').filter((one) => !/^(?:0001|9999)/.test(one) && !/-(?:03|10)-(?:2[4-9]|3)/.test(one)),
    unshown: unshownMoments,
    bodies: dateTime(6),
  },
  { type: 'text', schema: text({ format: 'date-time' }), ...texts(dateTime(6)) },
  { type: 'text', schema: text({ format: 'decimal' }), ...texts(decimal(20, 9)) },
  { type: 'text', schema: text({ format: 'duration' }), ...texts(duration) },
  { type: 'text', schema: text({ format: 'date' }), ...texts(date) },
  { type: 'interval', shown: spans, unshown: fc.constantFrom('infinity', '-infinity'), bodies: duration },
  { type: 'span', before: ['create domain span as interval'], shown: spans, bodies: duration },
  { type: 'interval', shown: fraction(6).map((rest) => `00:00:01${rest}`), bodies: duration },
  { type: 'inet', ...texts(fc.constantFrom('10.0.0.1', '10.0.0.1/8', '::1', 'fe80::1/64', '0.0.0.0/0', '10.0.0.2')) },
  { type: 'inet', schema: text({ format: 'ipv4' }), ...texts(fc.ipV4()) },
  { type: 'cidr', ...texts(fc.constantFrom('10.0.0.0/8', '10.0.0.1/32', '::/0', '192.168.0.0/16')) },
  { type: 'macaddr', ...texts(fc.constantFrom('08:00:2b:01:02:03', '08-00-2b-01-02-04', '08002b:010205')) },
  { type: 'macaddr8', ...texts(fc.constantFrom('08:00:2b:01:02:03:04:05', '08:00:2b:01:02:03')) },
  { type: 'bit(4)', ...texts(bits(4)) },
  { type: 'varbit', ...texts(fc.nat(9).chain(bits)) },
  { type: 'hstore', before: extension('hstore'), ...texts(hstores) },
  { type: 'ltree', before: extension('ltree'), ...texts(ltrees) },
  { type: 'tsvector', ...texts(fc.constantFrom('', 'a fat cat', "'it''s' b:1A,2", 'x:3 y:1')) },
  {
    type: 'xml',
    ...texts(fc.constantFrom('<a/>', '<a b="c">ü &amp; <!-- d --></a>', 'text', '', '<a/><b/>')),
    equality: 'none',
  },
  { type: 'int4range', ...texts(ranges(integers(2_147_483_646).map(String))) },
  { type: 'int8range', ...texts(ranges(fc.maxSafeInteger().map(String))) },
  { type: 'numrange', ...texts(ranges(decimal(6, 3))) },
  {
    type: 'int4multirange',
    ...texts(fc.constantFrom('{}', '{[1,3)}', '{[1,3],[2,9)}', '{(,1),[5,)}', '{[5,6),[1,2)}')),
  },
  {
    type: 'tstzrange',
    shown: ranges(dateTime(6)),
    unshown: unshownMoments.filter(isFiniteBound).map((bound) => `[${bound},)`),
    bodies: ranges(dateTime(6)),
  },
  {
    type: 'booked',
    before: ['create domain booked as tsrange'],
    shown: ranges(moment(6, ' ')),
    unshown: unshownMoments.filter(isFiniteBound).map((bound) => `(,${bound})`),
    bodies: ranges(dateTime(6)),
  },
  {
    type: 'daterange',
    // Of what ends with the last day, the end is in the year 10000.
    shown: ranges(date.filter((one) => !one.startsWith('9999-12'))),
    unshown: unshownDates.filter(isFiniteBound).map((bound) => `[${bound},)`),
    bodies: ranges(date.filter((one) => !one.startsWith('9999-12'))),
  },
  { type: 'text', schema: text({ format: 'date-time-range' }), ...texts(ranges(dateTime(6))) },
  arrayOf('text', anyText),
  arrayOf('varchar(5)', shortText(5)),
  arrayOf('integer', integers(2_147_483_647)),
  arrayOf('boolean', fc.boolean()),
  arrayOf(
    'double precision',
    doubles.filter((one) => !Object.is(one, -0)),
  ),
  arrayOf('uuid', uuid),
  { ...arrayOf('odd', fc.constantFrom(...labels)), before: [enumType] },
]
