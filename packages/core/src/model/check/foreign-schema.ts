import { shortened } from '../../errors.ts'
import { pointerStep } from '../../problem.ts'
import { isObject } from '../is-object.ts'
import { type DescribedValue, inShort, type ValueProblem } from '../values/field-problems.ts'
import type { JsonSchema, StandardCheck, StandardIssue, StandardSchema } from '../values/schema-facts.ts'

const EXPECTED = "a field is a JSON Schema, such as Type.String() of TypeBox or { type: 'string' }"

/** Whether something looks like JSON Schema. Does not read its keywords. */
export function looksLikeJsonSchema(schema: unknown): schema is JsonSchema {
  return isPlainObject(schema) && libraryOf(schema) === undefined
}

/** Says what a value is that does not look like JSON Schema, and what is expected instead. */
export function whyForeign(schema: unknown): string {
  const library = libraryOf(schema)
  if (library === undefined) return `${EXPECTED}, not ${described(schema)}`
  const hint = library === 'zod' ? '; z.toJSONSchema(…) of zod 4 makes one' : hintFor(schema, library)
  return `this looks like a schema of ${library}, which is not JSON Schema: ${EXPECTED}${hint}`
}

/** What makes JSON Schema of a schema that checks values alone. */
function hintFor(schema: unknown, library: string): string {
  const standard = Reflect.get(schema as object, '~standard')
  if (!isObject(standard) || typeof standard.validate !== 'function') return ''
  if (library === 'valibot') return '; toStandardJsonSchema(…) of @valibot/to-json-schema makes one'
  return '; a version of it with Standard JSON Schema (zod 4.2, ArkType 2.1.28) is a field as it is'
}

/** Whether it is an object without methods or a class, as JSON.parse returns. */
export function isPlainObject(value: unknown): value is JsonSchema {
  if (!isObject(value)) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  // Another realm, such as a test runner's, has its own Object.prototype.
  return prototype === null || Object.getPrototypeOf(prototype) === null
}

/** Names a value in an error message. */
export function described(value: unknown): string {
  if (Array.isArray(value)) return 'an array'
  if (typeof value === 'function') return value.name === '' ? 'a function' : `the function ${value.name}`
  if (isPlainObject(value)) return 'an object'
  if (typeof value === 'object' && value !== null) return `an object of the class ${value.constructor?.name}`
  if (typeof value === 'string') return `the text ${JSON.stringify(value)}`
  return typeof value === 'bigint' ? `the bigint ${value}` : String(value)
}

/** The name of the library that made the schema, if it is another kind of schema. */
function libraryOf(schema: unknown): string | undefined {
  if ((typeof schema !== 'object' || schema === null) && typeof schema !== 'function') return undefined
  // https://standardschema.dev: the name that zod, valibot, arktype and others give themselves. The JSON Schema that
  // zod makes has it, hidden.
  const isHidden = Object.getOwnPropertyDescriptor(schema, '~standard')?.enumerable === false
  const standard: unknown = isHidden ? undefined : Reflect.get(schema, '~standard')
  if (isObject(standard) && typeof standard.vendor === 'string') return standard.vendor
  return '_def' in schema || '_zod' in schema ? 'zod' : undefined
}

/** Whether it is a schema of another library that can be turned into JSON Schema. */
export function isStandardSchema(schema: unknown): schema is StandardSchema {
  if (typeof schema !== 'function' && !isObject(schema)) return false
  const standard: unknown = Reflect.get(schema, '~standard')
  if (!isObject(standard) || !isObject(standard.jsonSchema)) return false
  // The JSON Schema that `z.toJSONSchema` returns has the properties of the schema that it is made of, hidden.
  return !isPlainObject(schema) || Object.getOwnPropertyDescriptor(schema, '~standard')?.enumerable === true
}

/** What a library makes of a value; undefined if the value does not fit, or if that is known only later. */
export function resultOf(validate: StandardCheck, value: unknown): { readonly value: unknown } | undefined {
  try {
    const result = validate(value)
    if (isPromise(result)) result.catch(() => {})
    else if (!result.issues) return { value: result.value }
  } catch {
    // A check of the application's own need not be ready for any value.
  }
  return undefined
}

function isPromise(result: object): result is Promise<unknown> {
  return typeof Reflect.get(result, 'then') === 'function'
}

type Check = DescribedValue['check']

/**
 * The check of a field: that of JSON Schema, and behind it that of the schema's own library. It is a problem if that
 * would change the value, as what is stored is what a body has.
 *
 * The check throws a `TypeError`, which names the `place`, if that of the library is asynchronous. Of a `writeOnly`
 * value, it does not say what it must be.
 */
export function withStandardCheck(
  check: Check,
  validate: StandardCheck,
  { place, writeOnly }: { readonly place: string; readonly writeOnly: boolean },
): Check {
  return (value) => {
    const unfit = check(value)
    if (unfit.length > 0) return unfit
    const result = validate(value)
    if (isPromise(result)) {
      result.catch(() => {})
      throw new TypeError(`${place}: ${ASYNCHRONOUS}`)
    }
    // Libraries have subclasses of arrays, whose `map` makes no array.
    if (result.issues) return inShort(Array.from(result.issues, problemOf), ({ at }) => at)
    const changed = differences(value, result.value)
    return writeOnly
      ? changed.map(({ at, keyword = '' }) => ({ at, message: 'must be as its schema makes it', keyword }))
      : changed
  }
}

const ASYNCHRONOUS =
  "the 'validate' of its schema is asynchronous, and a body is checked at once; ask what takes time in a rule (validate)"

function problemOf({ message, path = [] }: StandardIssue): ValueProblem {
  const steps = Array.from(path, (step) => `/${pointerStep(String(typeof step === 'object' ? step.key : step))}`)
  return { at: steps.join(''), message, keyword: 'validate' }
}

/** Where a value is not what a library makes of it, as deep inside as can be said. `name`: that of the property. */
export function differences(value: unknown, made: unknown, at = '', name = ''): readonly ValueProblem[] {
  if (value === made) return []
  if (holdsValues(value) && holdsValues(made) && Array.isArray(value) === Array.isArray(made)) {
    const names = new Set([...Object.keys(value), ...Object.keys(made)])
    return [...names].flatMap((one) => {
      const [before, after] = [value, made].map((holder) => (Object.hasOwn(holder, one) ? holder[one] : undefined))
      return differences(before, after, `${at}/${pointerStep(one)}`, one)
    })
  }
  if (made === undefined) {
    const params = { additionalProperty: shortened(name) }
    return [{ at, message: 'must be left out', keyword: 'additionalProperties', params }]
  }
  // A transform may make what is no JSON.
  const text = typeof made === 'bigint' ? String(made) : String(JSON.stringify(made))
  return [{ at, message: `must be ${shortened(text)}`, keyword: 'const', params: { allowedValue: made } }]
}

function holdsValues(value: unknown): value is Readonly<Record<string, unknown>> {
  return Array.isArray(value) || isPlainObject(value)
}
