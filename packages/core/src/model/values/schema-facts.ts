import { isObject } from '../is-object.ts'

/** The values that fit a schema besides null, where it lists them (`enum`, `const`, or a union of these); undefined
 * where it does not. */
export function enumerated(schema: JsonSchema): readonly unknown[] | undefined {
  if ('const' in schema) return notNull([schema.const])
  if (Array.isArray(schema.enum)) return notNull(schema.enum)
  const branches = schema.anyOf ?? schema.oneOf
  if (!Array.isArray(branches)) return undefined
  const lists = branches.map((branch) => {
    if (!isObject(branch)) return undefined
    return branch.type === 'null' ? [] : enumerated(branch)
  })
  return lists.includes(undefined) ? undefined : (lists.flat() as readonly unknown[])
}

function notNull(values: readonly unknown[]): readonly unknown[] {
  return values.filter((value) => value !== null)
}

/** The schema of the elements of an array field, also if its schema allows null beside it; undefined if it has no
 * single one. */
export function itemsOf(schema: JsonSchema): JsonSchema | undefined {
  if (isObject(schema.items)) return schema.items
  const only = onlyBranch(schema)
  return only && itemsOf(only)
}

/** The schema of the values that are not null, where the schema is a union of these and null; undefined if it is none,
 * or has several. */
export function onlyBranch(schema: JsonSchema): JsonSchema | undefined {
  const branches = [schema.anyOf ?? schema.oneOf].flat().filter((branch) => isObject(branch) && branch.type !== 'null')
  const [only, ...others] = branches as JsonSchema[]
  return others.length > 0 ? undefined : only
}

/**
 * The length of the longest text that a schema allows, in code points; infinite if it does not say.
 *
 * `formatLengths`: the longest texts of formats.
 */
export function longestText(schema: JsonSchema, formatLengths: Readonly<Record<string, number>>): number {
  const literals = enumerated(schema)
  if (literals !== undefined) return Math.max(0, ...literals.map((literal) => [...String(literal)].length))
  const branches = (schema.anyOf ?? schema.oneOf) as JsonSchema[] | undefined
  if (branches !== undefined) {
    return Math.max(...branches.map((branch) => (branch.type === 'null' ? 0 : longestText(branch, formatLengths))))
  }
  if (typeof schema.maxLength === 'number') return schema.maxLength
  return formatLengths[String(schema.format)] ?? Number.POSITIVE_INFINITY
}

/** The bounds of a range of moments or dates. An empty text: there is no bound. */
interface Range {
  readonly opening: string
  readonly from: string
  readonly to: string
  readonly closing: string
}

/** The formats of texts that are such ranges. */
export const RANGE_FORMATS = ['date-time-range', 'date-range'] as const

/** `["2026-01-01T00:00:00Z","2026-02-01T00:00:00Z")`, also without quotes. Moments have no brackets, and no more
 * characters. */
const RANGE = /^([[(])("?)([^",()[\]]{0,60})\2,("?)([^",()[\]]{0,60})\4([\])])$/

const EMPTY = 'empty'
const INFINITE = ['infinity', '-infinity']

/** Reads the text of a range; undefined if it is none, or the empty one. */
export function readRange(text: string): Range | undefined {
  const [, opening, quote, from = '', lastQuote, to = '', closing] = RANGE.exec(text) ?? []
  if (opening === undefined || closing === undefined) return undefined
  // In quotes, it is a bound that is no moment.
  if ((quote !== '' && from === '') || (lastQuote !== '' && to === '')) return undefined
  return { opening, from, to, closing }
}

/** The test for a range whose bounds pass one. */
export function isRangeOf(isBound: (text: string) => boolean): (text: string) => boolean {
  const fits = (bound: string) => bound === '' || INFINITE.includes(bound) || isBound(bound)
  return (text) => {
    if (text === EMPTY) return true
    const range = readRange(text)
    return range !== undefined && fits(range.from) && fits(range.to)
  }
}

/** Formats of strings that are compared in a way of their own. */
export const COMPARED_FORMATS = ['decimal', 'date-time', 'duration', ...RANGE_FORMATS] as const

/** The format of a text field, also if its schema allows null beside it; undefined if it has none. */
export function textFormat(schema: JsonSchema): string | undefined {
  if (typeof schema.format === 'string') return schema.format
  const only = onlyBranch(schema)
  return only && textFormat(only)
}

/** A JSON Schema as plain data. */
export interface JsonSchema {
  readonly [keyword: string]: unknown
}

/**
 * What declares a field: a JSON Schema, made by TypeBox 0.34, by typebox 1, by `z.toJSONSchema(…)` of zod 4, or by
 * hand; or a schema of another library that says what it is in JSON Schema.
 *
 * The type excludes functions, such as `String`, relations, and schemas of other libraries that do not, which all have
 * `~standard`. Zod marks the JSON Schema that it makes with it, too, but that has no `_zod`.
 */
export type FieldSchema = (object & NoOther) | (JsonSchema & NoOther) | StandardSchema

interface NoOther {
  readonly '~standard'?: { readonly jsonSchema: object }
  readonly call?: never
  readonly relation?: never
  readonly _zod?: never
}

export type Fields = Readonly<Record<string, FieldSchema>>

/**
 * A schema of another library that can be turned into JSON Schema: of zod 4.2 or ArkType 2.1.28, or what
 * `toStandardJsonSchema` makes of one of Valibot's. The interface is that of https://standardschema.dev/json-schema.
 */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly '~standard': StandardProperties<Input, Output>
}

export interface StandardProperties<Input = unknown, Output = Input> {
  readonly version: 1
  readonly vendor: string
  readonly jsonSchema: { readonly input: ToJsonSchema; readonly output: ToJsonSchema }
  /** Checks a value and returns what it makes of it. */
  readonly validate?: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>
  /** Only the compiler knows them. */
  readonly types?: { readonly input: Input; readonly output: Output } | undefined
}

type ToJsonSchema = (options: {
  readonly target: 'draft-07'
  readonly libraryOptions?: Record<string, unknown>
}) => Record<string, unknown>

type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] }

export interface StandardIssue {
  readonly message: string
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined
}

/** Checks a value as the schema's library does. */
export type StandardCheck = NonNullable<StandardProperties['validate']>

/** TypeBox 0.34 marks optional schemas with this symbol. All copies of the package share it. */
const OPTIONAL = Symbol.for('TypeBox.Optional')

/** Whether TypeBox's `Type.Optional(…)` made the schema. */
export function isOptional(schema: JsonSchema): boolean {
  return OPTIONAL in schema || schema['~optional'] === true
}
