import type { ValidateFunction } from 'ajv'
import { _, Ajv2019, type KeywordCxt, Name } from 'ajv/dist/2019.js'
import formats from 'ajv-formats'
import { problemsOfSchema } from '../check/check-schema.ts'
import type { StorageKind, ValueProblem } from './field-problems.ts'
import { checkUniqueItemsByText, forgetTexts, inShort, problemsOfErrors } from './field-problems.ts'
import type { JsonSchema } from './schema-facts.ts'
import { isRangeOf } from './schema-facts.ts'

/** A decimal number as a string, e.g. `"12.50"`. */
const DECIMAL = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/

let sharedAjv: Ajv2019 | undefined
const compiled = new Map<string, ValidateFunction>()

function ajv(): Ajv2019 {
  if (sharedAjv === undefined) {
    sharedAjv = new Ajv2019({
      allErrors: true,
      strict: false,
      logger: { log: complain, warn: complain, error: complain },
    })
    checkSizesFirst(sharedAjv)
    checkUniqueItemsByText(sharedAjv)
    formats.default(sharedAjv)
    sharedAjv.addFormat('decimal', DECIMAL)
    sharedAjv.addFormat('duration', DURATION)
    sharedAjv.addFormat('uuid', UUID)
    sharedAjv.addFormat('date-time', isMoment)
    sharedAjv.addFormat('time', withoutLeapSeconds('time'))
    sharedAjv.addFormat('iso-time', withoutLeapSeconds('iso-time'))
    sharedAjv.addFormat('date-time-range', isRangeOf(isMoment))
    sharedAjv.addFormat('date-range', isRangeOf(testOf('date')))
    sharedAjv.addFormat('url', quickUrl())
  }
  return sharedAjv
}

/**
 * The `url` of ajv-formats without its `(?::\S*)?`. The `\S+` before it matches the same characters, and trying every
 * split between the two takes quadratic time.
 */
function quickUrl(): RegExp {
  const { source, flags } = formats.default.get('url') as RegExp
  return new RegExp(source.replace('\\S+(?::\\S*)?@', '\\S+@'), flags)
}

/** Without `urn:uuid:`, which a column of the type does not take. */
const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i

/** RFC 3339 has a 60th second, which neither database keeps: a record would not be found by the value that it was
 * given. */
function withoutLeapSeconds(format: 'date-time' | 'time' | 'iso-time'): (text: string) => boolean {
  const isOfFormat = testOf(format)
  return (text) => isOfFormat(text) && !LEAP_SECOND.test(text)
}

const LEAP_SECOND = /:\d\d:60(?:\.\d+)?(?:z|[+-][\d:]+)?$/i

const isMoment = withoutLeapSeconds('date-time')

/** The test of a format of ajv-formats. */
function testOf(format: 'date-time' | 'date' | 'time' | 'iso-time'): (text: string) => boolean {
  const { validate } = formats.default.get(format) as { validate: (text: string) => boolean }
  return validate
}

/** Turns a warning of Ajv, e.g. about an unknown format, into an error. */
function complain(...words: unknown[]): never {
  throw new Error(words.join(' '))
}

/** Whether values can be checked against the format. */
export function knowsFormat(format: unknown): boolean {
  return Object.hasOwn(ajv().formats, String(format))
}

/** A schema without the keywords that say nothing about values. */
export function meaningOf(schema: JsonSchema): JsonSchema {
  const {
    $schema,
    title,
    description,
    examples,
    default: _,
    $async,
    readOnly,
    writeOnly,
    summary,
    access,
    index,
    ...meaning
  } = schema
  return meaning
}

function validatorOf(schema: JsonSchema): ValidateFunction {
  const text = JSON.stringify(meaningOf(schema))
  let validate = compiled.get(text)
  if (validate === undefined) {
    validate = ajv().compile(JSON.parse(text) as object)
    compiled.set(text, validate)
  }
  return validate
}

/**
 * Makes the check of a field. The check lists what is wrong with a value that is not null: nothing if the value fits
 * the schema and every database can store it unchanged. The first check compiles the schema. Equal schemas share a
 * validator.
 */
export function fieldCheck(schema: JsonSchema, storage: StorageKind): (value: unknown) => readonly ValueProblem[] {
  const fits = plainTest(schema, storage)
  let validate: ValidateFunction | undefined
  return (value) => {
    if (fits?.(value) === true) return NONE
    validate ??= validatorOf(schema)
    const isValid = validate(value)
    forgetTexts()
    if (!isValid) return problemsOfErrors(inShort(validate.errors ?? [], ({ instancePath }) => instancePath))
    return storable(value, storage)
  }
}

const NONE: readonly never[] = []

/** A quick test for a schema that asks for a common type and nothing else. True: the value fits. False: ask the
 * validator. */
function plainTest(schema: JsonSchema, storage: StorageKind): ((value: unknown) => boolean) | undefined {
  const { type, ...others } = meaningOf(schema)
  if (Object.keys(others).length > 0) return undefined
  if (type === 'integer' && storage === 'integer') return Number.isSafeInteger
  if (type === 'string' && storage === 'string')
    return (value) => typeof value === 'string' && storableText(value) === NONE
  return undefined
}

/** Why the schema cannot be used; empty if it can. */
export function problemsOfFieldSchema(schema: JsonSchema): readonly string[] {
  const problems = problemsOfSchema(schema, Object.keys(ajv().RULES.keywords))
  if (problems.length > 0) return problems
  try {
    validatorOf(schema)
    return NONE
  } catch (error) {
    return [`not a schema that values can be checked against: ${(error as Error).message}`]
  }
}

/** Whether a value, which may not fit its schema, is of the type that is stored, so that a record may show it. */
export function isStorable(value: unknown, storage: StorageKind): boolean {
  const type = JSON_TYPES[storage]
  return (type === undefined || typeof value === type) && storable(value, storage).length === 0
}

const JSON_TYPES: Readonly<Partial<Record<StorageKind, string>>> = {
  ...{ string: 'string', date: 'string', bytes: 'string' },
  ...{ integer: 'number', number: 'number', boolean: 'boolean' },
}

/** Why a database cannot store the JSON value unchanged; empty if it can. */
function storable(value: unknown, storage: StorageKind): readonly ValueProblem[] {
  switch (storage) {
    case 'json':
      return storableJson(value)
    case 'integer':
      return Number.isSafeInteger(value) ? NONE : UNSAFE_INTEGER
    case 'number':
      return Number.isFinite(value) ? NONE : notStorable('must be a finite number', 'number')
    case 'date':
      // RFC 3339 has a year 0, but not every database does.
      return (value as string).startsWith('0000') ? notStorable('must be a date from year 1 on', 'year') : NONE
    case 'string':
      return storableText(value as string)
    case 'bytes':
      return isCanonicalBase64(value as string) ? NONE : NOT_BASE64
    case 'boolean':
      return NONE
  }
}

/** Bytes have one spelling, so that equal values are equal texts. */
function isCanonicalBase64(text: string): boolean {
  return Buffer.from(text, 'base64').toString('base64') === text
}

const NOT_BASE64: readonly ValueProblem[] = [
  {
    at: '',
    message: "must be base64, with its padding and nothing else, such as 'YQ=='",
    keyword: 'contentEncoding',
    params: { contentEncoding: 'base64' },
  },
]

/** `what`: the part of the value that some database does not take. */
function notStorable(message: string, what: string): readonly ValueProblem[] {
  return [{ at: '', message, keyword: 'storable', params: { not: what } }]
}

const UNSAFE_INTEGER = notStorable('must be an integer between -(2^53 - 1) and 2^53 - 1', 'integer')

function storableText(text: string): readonly ValueProblem[] {
  if (text.includes('\u0000')) return notStorable('must not contain the character U+0000', 'U+0000')
  if (!text.isWellFormed()) {
    return notStorable('must be well-formed Unicode: it contains a lone surrogate', 'surrogate')
  }
  return NONE
}

function storableJson(root: unknown): readonly ValueProblem[] {
  const open: unknown[] = [root]
  while (open.length > 0) {
    const value = open.pop()
    if (typeof value === 'string') {
      const problems = storableText(value)
      if (problems.length > 0) return problems
    } else if (typeof value === 'number') {
      if (!Number.isFinite(value)) return notStorable('must contain finite numbers only', 'number')
    } else if (typeof value === 'object' && value !== null) {
      for (const key of Object.keys(value)) {
        const problems = storableText(key)
        if (problems.length > 0) return problems
      }
      for (const item of Object.values(value)) open.push(item)
    } else if (value !== null && typeof value !== 'boolean') {
      return notStorable('must be a JSON value', 'value')
    }
  }
  return NONE
}

/**
 * A duration of ISO 8601, `P1DT2H` or `PT1.5S`. RFC 3339 has neither fractions nor signs, which intervals of databases
 * have: `P-1D`. The pattern never backtracks far.
 */
export const DURATION =
  /^P(?:-?\d{1,9}W|(?=[-T\d])(?:-?\d{1,9}Y)?(?:-?\d{1,9}M)?(?:-?\d{1,9}D)?(?:T(?=[-\d])(?:-?\d{1,9}H)?(?:-?\d{1,9}M)?(?:-?\d{1,9}(?:\.\d{1,20})?S)?)?)$/

/** Keywords that limit the size of a value. Without the limit, a client decides what checking the other keywords
 * costs. */
const SIZES = ['maxLength', 'maxItems', 'maxProperties']

/** How many errors the code that Ajv generates has found so far. */
const ERRORS = new Name('errors')

/**
 * Makes Ajv check the size of a value first, in every part of a schema. If a value is too large, Ajv checks nothing
 * else of it.
 *
 * With `allErrors`, Ajv goes on after an error: it would match a pattern against a text that is too long, and compare
 * the items of an array that has too many. A separate schema of the sizes is not enough: Ajv tries all branches of
 * `anyOf`, even if the value fits one of them.
 *
 * Ajv generates code for the keywords of all types first (`allOf`, `$ref`), then for those of a string, array or
 * object. So a size is measured at the very start, and both groups run only if the value fits.
 */
function checkSizesFirst({ RULES }: Ajv2019): void {
  const ofAllTypes = RULES.rules.find(({ type }) => type === undefined)
  for (const keyword of SIZES) {
    const rule = RULES.all[keyword]
    if (ofAllTypes === undefined || typeof rule !== 'object' || !('code' in rule.definition)) {
      throw new Error(`this version of Ajv does not check '${keyword}' as expected`)
    }
    const { code, type } = rule.definition
    const fitting = new WeakMap<object, Name>()
    rule.definition = {
      ...rule.definition,
      code(context, group) {
        // Ajv closes this block at the end of the group.
        const fits = group === undefined ? measure(context, type[0], code) : fitting.get(context.it)
        if (fits === undefined) throw new Error(`Ajv checks '${keyword}' before it is measured`)
        fitting.set(context.it, fits)
        context.gen.if(fits)
      },
    }
    ofAllTypes.rules.unshift(rule)
  }
}

/** Code for the keyword's own check; returns the name of the variable that is true if the value fits. */
function measure(context: KeywordCxt, type: string | undefined, check: (context: KeywordCxt) => void): Name {
  const { gen, data } = context
  const before = gen.const('before', ERRORS)
  gen
    .if(
      type === 'array' ? _`Array.isArray(${data})` : _`typeof ${data} == ${type} && ${data} && !Array.isArray(${data})`,
    )
    .block(() => check(context))
    .endIf()
  return gen.var('fits', _`${before} === ${ERRORS}`)
}
