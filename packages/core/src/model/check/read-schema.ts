import { FIELD_OPTIONS } from '../descriptors/field-options.ts'
import { isObject } from '../is-object.ts'
import { knowsFormat, meaningOf } from '../values/field-check.ts'
import {
  enumerated,
  isOptional,
  type JsonSchema,
  type StandardCheck,
  type StandardSchema,
} from '../values/schema-facts.ts'
import { withSubschemas } from './check-schema.ts'
import {
  differences,
  isPlainObject,
  isStandardSchema,
  looksLikeJsonSchema,
  resultOf,
  whyForeign,
} from './foreign-schema.ts'

/** Any schema as plain JSON Schema. */
export interface PlainSchema {
  readonly schema: JsonSchema
  /** The check of the schema's own library, behind that of JSON Schema; undefined: there is none. */
  readonly validate?: StandardCheck
  /** Whether a value may be left out. One with a default may not: it is there then. */
  readonly isOptional: boolean
  /** Whether null is a value; undefined: as the schema says. */
  readonly takesNull?: boolean
}

/** Turns a schema into plain JSON Schema, whatever made it; or says why that cannot be done. */
export function readSchema(given: unknown): PlainSchema | { readonly problem: string } {
  if (isStandardSchema(given)) return readStandard(given)
  if (!looksLikeJsonSchema(given)) return { problem: whyForeign(given) }
  return { schema: given, isOptional: isOptional(given) }
}

const AS_IT_IS =
  'and what is stored is what a body has; leave out what changes values (transforms, coercion, defaults inside of an object), and do that in the application or in a rule (set)'
const WAYS_OUT =
  "a value is JSON: write a date as a text with a format (as 'z.iso.datetime()' is), a bigint as an integer or a text, a set or map as an array or object, and any JSON value as Type.Any()"

function readStandard(given: StandardSchema): PlainSchema | { readonly problem: string } {
  const standard = given['~standard']
  const refuse = (why: string) => ({ problem: `this schema of ${standard.vendor} ${why}` })
  const refuseChange = (how: string) => refuse(`changes values (${how}), ${AS_IT_IS}`)
  const input = convert(given, 'input')
  if ('problem' in input) return refuse(`has no JSON Schema (${input.problem}); ${WAYS_OUT}`)
  const silent = silentPlace(input.schema)
  if (silent !== undefined) return refuse(`says nothing of the values${silent} ({}); ${WAYS_OUT}`)
  const output = convert(given, 'output')
  if ('problem' in output) return refuseChange(output.problem)
  if (typeOf(input.schema) !== typeOf(output.schema)) return refuseChange('its input and its output have other types')
  const schema = { ...output.schema, ...optionsOf(given) }
  const validate = standard.validate?.bind(standard)
  if (validate === undefined) return { schema, isOptional: false }
  if (waitsFor(validate)) return refuse('is of promises, which JSON has not; take the schema of what they resolve to')
  if (converts(validate, output.schema)) return refuseChange('it takes values of other types than its JSON Schema')
  const takesNull = resultOf(validate, null)?.value === null
  const left = resultOf(validate, undefined)
  if (left?.value === undefined) return { schema, validate, isOptional: left !== undefined, takesNull }
  if (!isConstant(validate, left.value)) {
    return refuse('has another default each time; take a rule (set), or a default of the database (dbDefault)')
  }
  return { schema: { default: left.value, ...schema }, validate, isOptional: false, takesNull }
}

/** What libraries need to be told. */
const LIBRARY_OPTIONS: Readonly<Record<string, Record<string, unknown>>> = {
  // The schema of undefined would be one that says nothing.
  arktype: {
    fallback: {
      unit: ({ unit, base }: { readonly unit: unknown; readonly base: object }) => (unit === undefined ? NEVER : base),
    },
  },
  // A check that is no JSON Schema is left to `validate`, and so are transformations that keep the type.
  valibot: {
    overrideAction({ valibotAction: { kind, type }, jsonSchema, errors }: ValibotAction) {
      return errors !== undefined && (kind === 'validation' || SAME_TYPE.has(type)) ? jsonSchema : undefined
    },
  },
}

interface ValibotAction {
  readonly valibotAction: { readonly kind: string; readonly type: string }
  readonly jsonSchema: object
  readonly errors?: unknown
}

const SAME_TYPE = new Set([
  ...['trim', 'trim_start', 'trim_end', 'normalize', 'to_lower_case', 'to_upper_case', 'to_min_value', 'to_max_value'],
  ...['brand', 'flavor', 'readonly'],
])

/** What no value fits. */
const NEVER = { not: {} }

function convert(
  { '~standard': { vendor, jsonSchema } }: StandardSchema,
  side: 'input' | 'output',
): { readonly schema: JsonSchema } | { readonly problem: string } {
  try {
    const libraryOptions = LIBRARY_OPTIONS[vendor]
    const made = jsonSchema[side]({ target: 'draft-07', ...(libraryOptions && { libraryOptions }) })
    return { schema: inlined(withSubschemas(made, '', readable)) }
  } catch (error) {
    return { problem: (error as Error).message.replace(/[.\s]+$/, '') }
  }
}

/** A part without a format that only its library knows and checks, and without branches that no value fits. */
function readable({ $schema: _, ...part }: JsonSchema): JsonSchema {
  const { format, ...others } = part
  const { anyOf, ...rest } = format === undefined || knowsFormat(format) ? part : others
  if (!Array.isArray(anyOf)) return rest
  const possible = anyOf.filter((branch) => JSON.stringify(branch) !== JSON.stringify(NEVER))
  return possible.length === 1 ? { ...rest, ...possible[0] } : { ...rest, anyOf: possible }
}

/** A schema in which definitions are in the place of their names, but for one that contains itself. */
function inlined({ definitions, $defs, ...schema }: JsonSchema): JsonSchema {
  const around = new Set<string>()
  const put = (part: JsonSchema): JsonSchema => {
    const { $ref: name = '', ...beside } = part
    const [, key = ''] = /^#\/(?:definitions|\$defs)\/(.+)$/.exec(String(name)) ?? []
    const definition = [definitions, $defs].flatMap((all) => (isObject(all) ? [all[key]] : [])).find(isObject)
    if (definition === undefined || around.has(key)) return part
    around.add(key)
    const there = withSubschemas(definition, '', put)
    around.delete(key)
    return { ...there, ...beside }
  }
  const whole = withSubschemas(schema, '', put)
  if (!JSON.stringify(whole).includes('"$ref"')) return whole
  return { ...whole, ...(isObject(definitions) && { definitions }), ...(isObject($defs) && { $defs }) }
}

/** Where a part of a schema allows everything, but for further properties; undefined: nowhere. */
function silentPlace(schema: JsonSchema): string | undefined {
  let found: string | undefined
  withSubschemas(schema, '', (part, pointer) => {
    const isOfOthers = /\/(?:additional\w+|unevaluated\w+|propertyNames|not)$/.test(pointer)
    if (!isOfOthers && Object.keys(meaningOf(part)).length === 0) found ??= pointer && ` at ${pointer}`
    return part
  })
  return found
}

/** What a schema says of the type of values: not of their size or form, or whether there may be further properties. */
function typeOf(schema: JsonSchema): string {
  const typed = withSubschemas(schema, '', ({ type, required, properties, additionalProperties: others, ...part }) => {
    const kept = Object.entries(part).filter(([keyword]) => OF_TYPES.has(keyword))
    const types = [type].flat().map((one) => (one === 'integer' ? 'number' : one))
    const named = Object.entries(properties ?? {}).sort()
    const saysMore = isObject(others) && Object.keys(others).length > 0
    return {
      kept: kept.sort(),
      types: types.sort(),
      needed: [required].flat().sort(),
      named,
      others: saysMore && others,
    }
  })
  return JSON.stringify(typed)
}

const OF_TYPES = new Set([
  ...['enum', 'const', 'items', 'anyOf', 'oneOf', 'allOf', 'patternProperties'],
  ...['$ref', 'definitions', '$defs'],
])

const OPTIONS = ['default', ...FIELD_OPTIONS]

/** What `field(…)` says beside the schema. A schema's own properties say nothing: many are methods. */
function optionsOf(given: StandardSchema): object {
  if (!isPlainObject(given)) return {}
  return Object.fromEntries(OPTIONS.filter((name) => name in given).map((name) => [name, given[name]]))
}

/** Whether a default is the same a moment later: a random one is not, nor the time of day. */
function isConstant(validate: StandardCheck, value: unknown): boolean {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2)
  return differences(value, resultOf(validate, undefined)?.value).length === 0
}

/** Whether values are promises: whoever waits for one looks for its `then`. */
function waitsFor(validate: StandardCheck): boolean {
  let isAwaited = false
  const promise = Object.defineProperty({}, 'then', {
    get() {
      isAwaited = true
      return undefined
    },
  })
  resultOf(validate, promise)
  return isAwaited
}

/**
 * Whether a library takes a value of another type than its JSON Schema says, and converts it, as coercion does: what it
 * takes is anything, which JSON Schema does not show. Examples tell, as far as there are any that fit.
 */
function converts(validate: StandardCheck, schema: JsonSchema): boolean {
  return misfits(schema).some(({ path, value, put }) => {
    const made = resultOf(validate, value)
    const there = path.reduce<unknown>((holder, step) => Object(holder)[step], made?.value)
    return made !== undefined && differences(put, there).length > 0
  })
}

/** A value that fits but for what is put at the path. */
interface Misfit {
  readonly path: readonly string[]
  readonly put: unknown
  readonly value: unknown
}

/** A value of each type that libraries convert. */
const VALUES = Object.entries({ null: null, boolean: true, number: 1, string: '1' })

function misfits(schema: JsonSchema): readonly Misfit[] {
  const types = typesIn(schema)
  const others = types.length === 0 ? [] : VALUES.filter(([type]) => !types.includes(type))
  const itself = others.map(([, put]): Misfit => ({ path: [], put, value: put }))
  const example = exampleOf(schema) as object
  const below = Object.entries(partsOf(schema)).flatMap(([name, part]) =>
    misfits(part).map(({ path, put, value }): Misfit => {
      return { path: [name, ...path], put, value: Array.isArray(example) ? [value] : { ...example, [name]: value } }
    }),
  )
  return [...itself, ...below]
}

/** The schemas of an object's properties, or of an array's first item. */
function partsOf({ properties, items }: JsonSchema): Readonly<Record<string, JsonSchema>> {
  return (isObject(properties) ? properties : isObject(items) ? { 0: items } : {}) as Record<string, JsonSchema>
}

/** The types of the values that a schema allows; none, if it does not say. */
function typesIn(schema: JsonSchema): readonly string[] {
  if (schema.type !== undefined)
    return [schema.type].flat().map((type) => (type === 'integer' ? 'number' : String(type)))
  const values = enumerated(schema)
  if (values !== undefined) return ['null', ...values.map((value) => typeof value)]
  const types = [schema.anyOf ?? schema.oneOf ?? []].flat().map((branch) => typesIn(branch as JsonSchema))
  return types.some((list) => list.length === 0) ? [] : types.flat()
}

/** A value that fits, unless the schema asks for more than types and sizes. */
function exampleOf(schema: JsonSchema): unknown {
  const [value] = enumerated(schema) ?? []
  if (value !== undefined) return value
  const [branch] = [schema.anyOf ?? schema.oneOf].flat()
  if (isObject(branch)) return exampleOf(branch)
  const parts = Object.entries(partsOf(schema)).map(([name, part]) => [name, exampleOf(part)] as const)
  switch ([schema.type].flat()[0]) {
    case 'string':
      return 'a'.repeat(Math.min(Number(schema.minLength ?? 1), 1_000))
    case 'array':
      return parts.map(([, item]) => item)
    case 'object':
      return Object.fromEntries(parts)
    case 'boolean':
      return true
    default:
      return schema.minimum ?? 1
  }
}
