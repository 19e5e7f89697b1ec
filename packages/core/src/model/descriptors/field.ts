import { isStandardSchema } from '../check/foreign-schema.ts'
import { didYouMean } from '../check/names.ts'
import type { IsStandard, ValueOf } from '../types/value-type.ts'
import type { FieldAccess } from '../values/field-problems.ts'
import type { FieldSchema } from '../values/schema-facts.ts'
import { FIELD_OPTIONS } from './field-options.ts'
import type { Stored } from './stored.ts'

/** What a field is besides its schema. */
export interface FieldOptions<Value = unknown> {
  /** The value of a POST or PUT without one; {@link dbDefault}: the database gives it. Default: a body must have a
   * value. */
  readonly default?: ReadonlyValue<Value> | null | typeof dbDefault
  /** Answers show it and no body sets it. Default: false. */
  readonly readOnly?: boolean
  /** Bodies set it and no answer shows it. Default: false. */
  readonly writeOnly?: boolean
  /** Whether other records show it where they show a record that they do not own. Default: true. */
  readonly summary?: boolean
  /** Whether it has an index. Default: false. */
  readonly index?: boolean
  /** How its column spells its values. Default: as `createTables` has it. */
  readonly stored?: Stored
  /** The name that its column had: `pushTables` renames it while only that one is there. Default: it had no other
   * name. */
  readonly was?: string
  /** The roles of which a caller needs one to see or to set it. Default: every caller may. */
  readonly access?: Partial<FieldAccess>
}

/** Takes `const` literals: an array in one is readonly. */
type ReadonlyValue<Value> = Value extends object ? { readonly [N in keyof Value]: ReadonlyValue<Value[N]> } : Value

const NAMES = ['default', ...FIELD_OPTIONS] as const satisfies readonly (keyof FieldOptions)[]

/** The methods of a schema of another library, such as `default`, have the names of options. */
type WithOptions<S, O> = IsStandard<S> extends true ? Pick<S, '~standard' & keyof S> & O : S & O

/**
 * A field's schema with its options. `Type.Boolean({ default: false })` describes the same field, but TypeBox keeps no
 * options in its types: only with `field` do the types of bodies and records know them.
 *
 * Returns a new schema and leaves the given one as it is. Throws a `TypeError` for an option that does not exist.
 *
 * @example
 * const fields = {
 *   title: Type.String(),
 *   done: field(Type.Boolean(), { default: false }),
 *   createdAt: field(Type.String({ format: 'date-time' }), { readOnly: true }),
 *   password: field(Type.String(), { writeOnly: true }),
 * }
 */
export function field<const S extends FieldSchema, const O extends FieldOptions<ValueOf<S>>>(
  schema: S,
  options: O,
): WithOptions<S, O> {
  const wrong = Object.keys(options).find((name) => !NAMES.some((known) => known === name))
  if (wrong !== undefined) {
    throw new TypeError(`field(…): '${wrong}' is not an option of a field${didYouMean(wrong, NAMES)}`)
  }
  if (isStandardSchema(schema)) {
    const alone: object = { '~standard': schema['~standard'], ...options }
    return alone as WithOptions<S, O>
  }
  // typebox 1 marks its schemas with properties that cannot be enumerated, so `{ ...schema }` would lose them.
  const properties = { ...Object.getOwnPropertyDescriptors(schema), ...Object.getOwnPropertyDescriptors(options) }
  return Object.create(Object.getPrototypeOf(schema), properties) as WithOptions<S, O>
}

/**
 * The `default` of a field to which the database gives a value: `DEFAULT now()`, an identity or a generated column.
 * Where a body has no value for the field, the INSERT leaves its column out, and the answer shows what the database has
 * set.
 *
 * The column itself belongs to the application: `createTables` makes it without a default.
 *
 * @example
 * const fields = { title: Type.String(), createdAt: Type.String({ format: 'date-time', default: dbDefault }) }
 */
export const dbDefault: unique symbol = Symbol.for('fastify-crud.dbDefault')
