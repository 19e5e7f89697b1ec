import { type TSchema, Type } from '@sinclair/typebox'
import type { Json } from './json.ts'

interface FieldOptions extends FieldAccess {
  readonly default?: Json
}

/** Who may see and set a field. */
export interface FieldAccess {
  readonly readOnly?: true
  readonly writeOnly?: true
  readonly summary?: false
  /** The roles that may see and set it. */
  readonly access?: { readonly View: readonly string[]; readonly Edit: readonly string[] }
}

/** Most fields are for everybody. */
export const accesses: readonly FieldAccess[] = [
  {},
  {},
  {},
  {},
  {},
  { writeOnly: true },
  { readOnly: true },
  { summary: false },
]

/** A kind of field, with values that are right and wrong for it. */
export interface FieldKind {
  /** The schema as one writes it, `…` standing for the options. */
  readonly source: string
  readonly schema: (options: FieldOptions) => TSchema
  readonly values: readonly Json[]
  readonly wrong: readonly Json[]
  /** Many values to choose from, for unique keys; `undefined` where a field of this kind is none's member. */
  readonly numbered: ((number: number) => Json) | undefined
  /** Values that the condition of a partial key may name; left out where no condition can be about such a field. */
  readonly constants?: readonly (string | number | boolean)[] | undefined
}

const NUL = 'a\u0000b'
const SURROGATE = 'a\ud800'
const day = (number: number): string => `2024-03-${String(number + 1).padStart(2, '0')}`

/** Any text. */
export const plainText: FieldKind = {
  source: 'Type.String(…)',
  schema: (options) => Type.String(options),
  values: ['a', '', ' x ', "O'Reilly", '"q"', 'a\\b\n', '日本', '😀', '\u2028', '0', 'null', '%_$1?', '{"a":1}', 'é'],
  wrong: [0, true, [], {}, NUL, SURROGATE],
  numbered: (number) => `u${number}`,
  constants: ['a', "O'Reilly", 'a\\b\n', 'u1'],
}

/** Every type that a field can have. */
export const fieldKinds: readonly FieldKind[] = [
  plainText,
  {
    source: 'Type.String({ minLength: 1, maxLength: 8, … })',
    schema: (options) => Type.String({ minLength: 1, maxLength: 8, ...options }),
    values: ['b', 'eight ch', 'ÄÖÜ'],
    wrong: ['', 'nine char', 1, ['b'], NUL],
    numbered: (number) => `n${number}`,
    constants: ['b', 'n1'],
  },
  {
    source: 'Type.Integer(…)',
    schema: (options) => Type.Integer(options),
    values: [1, 0, -1, 2147483648, 9007199254740991, -9007199254740991],
    wrong: [1.5, '1', true, 9007199254740992, {}],
    numbered: (number) => number,
    constants: [1, -1, 9007199254740991],
  },
  {
    source: 'Type.Integer({ minimum: 0, maximum: 100, … })',
    schema: (options) => Type.Integer({ minimum: 0, maximum: 100, ...options }),
    values: [2, 0, 100],
    wrong: [-1, 101, '2', false, 0.5],
    numbered: (number) => number,
    constants: [2, 0],
  },
  {
    source: 'Type.Number(…)',
    schema: (options) => Type.Number(options),
    values: [
      0.5,
      0,
      -1.5,
      0.1,
      0.30000000000000004,
      123456789.12345679,
      1e21,
      5e-324,
      1.7976931348623157e308,
      3,
      1 / 3,
    ],
    wrong: ['0.5', true, [], {}],
    numbered: undefined,
    constants: [0.5, 1e21, 3],
  },
  {
    source: 'Type.Boolean(…)',
    schema: (options) => Type.Boolean(options),
    values: [true, false],
    wrong: [0, 1, 'true', []],
    numbered: (number) => number % 2 === 0,
    constants: [true, false],
  },
  {
    source: "Type.Union([Type.Literal('red'), Type.Literal('green')], …)",
    schema: (options) => Type.Union([Type.Literal('red'), Type.Literal('green')], options),
    values: ['red', 'green'],
    wrong: ['pink', '', 1, ['red']],
    numbered: undefined,
    constants: ['red', 'green'],
  },
  {
    source: "Type.String({ format: 'date', … })",
    schema: (options) => Type.String({ format: 'date', ...options }),
    values: ['2024-02-29', '1970-01-01', '0001-01-01', '9999-12-31', '1582-10-10'],
    wrong: ['2023-02-29', '2024-2-1', '', 20240229, '2024-02-29T00:00:00Z'],
    numbered: day,
    constants: [],
  },
  {
    source: "Type.String({ format: 'date-time', … })",
    schema: (options) => Type.String({ format: 'date-time', ...options }),
    values: ['2024-02-29T23:59:59Z', '2024-01-01T00:00:00.123456+02:00', '1969-12-31T23:59:59.999999999-11:30'],
    wrong: ['2024-02-29', '2024-02-30T00:00:00Z', '', 0],
    numbered: undefined,
    constants: [],
  },
  {
    source: "Type.String({ format: 'decimal', … })",
    schema: (options) => Type.String({ format: 'decimal', ...options }),
    values: ['0', '12.50', '-0.010', '100000000000000000000.10'],
    wrong: ['1e3', '.5', '01', '', 12.5],
    numbered: (number) => `${number}.0`,
    constants: [],
  },
  {
    source: 'Type.Any(…)',
    schema: (options) => Type.Any(options),
    values: [{}, [], 'x', '', 0, false, 'null', 1e21, { b: 1, a_b: [null, { cD: 'é' }], id: 7 }, [1, [2, [3]]], '"x"'],
    wrong: [{ a: [NUL] }, [SURROGATE]],
    numbered: undefined,
  },
  {
    source: 'Type.Object({ x: Type.Number(), y: Type.Optional(Type.String()) }, …)',
    schema: (options) => Type.Object({ x: Type.Number(), y: Type.Optional(Type.String()) }, options),
    values: [{ x: 1 }, { x: 0.1, y: 'z' }, { y: '', x: 2, more: null }],
    wrong: [{}, { x: '1' }, [], 5, { x: 1, y: NUL }],
    numbered: undefined,
  },
  {
    source: 'Type.Array(Type.String(), …)',
    schema: (options) => Type.Array(Type.String(), options),
    values: [['a', 'b'], [], ['', "'"]],
    wrong: [[1], {}, 'a', [null]],
    numbered: undefined,
  },
]

/** Whether a field may be missing, and what stands there then. */
export const presences = ['required', 'optional', 'default', 'optional default'] as const
export type Presence = (typeof presences)[number]

const made = new WeakMap<object, { readonly kind: FieldKind; readonly source: string }>()

/** The kind that a field's schema is of, and the way that one writes it. */
export function madeOf(schema: object): { readonly kind: FieldKind; readonly source: string } {
  const found = made.get(schema)
  if (found === undefined) throw new Error('not a schema of a random model')
  return found
}

/** The schema of a field of that kind. A required one that nobody may set has a default, as its column has none. */
export function fieldSchema(kind: FieldKind, presence: Presence, access: FieldAccess): TSchema {
  const value = kind.values[1] ?? null
  const hasDefault = presence.endsWith('default') || (presence === 'required' && access.readOnly === true)
  const options: FieldOptions = { ...access, ...(hasDefault ? { default: value } : {}) }
  const inside = Object.entries(options)
    .map(([name, option]) => `${name}: ${JSON.stringify(option)}`)
    .join(', ')
  const given = kind.schema(options)
  const source = kind.source
    .replace('(…)', inside === '' ? '()' : `({ ${inside} })`)
    .replace(', … }', inside === '' ? ' }' : `, ${inside} }`)
    .replace(', …)', inside === '' ? ')' : `, { ${inside} })`)
  const isOptional = presence.startsWith('optional')
  const schema = isOptional ? Type.Optional(given) : given
  made.set(schema, { kind, source: isOptional ? `Type.Optional(${source})` : source })
  return schema
}
