import type { ErrorObject, SchemaValidateFunction } from 'ajv'
import type { Ajv2019 } from 'ajv/dist/2019.js'
import { type Fault, shortened } from '../../errors.ts'
import { pointerStep } from '../../problem.ts'
import type { JsonSchema } from './schema-facts.ts'

const OF_AN_ENUM = new Set(['anyOf', 'const', 'type'])

/** What Ajv found wrong with a value: in plain words, and with the path inside the value. */
export function problemsOfErrors(errors: readonly ErrorObject[]): readonly ValueProblem[] {
  return [...Map.groupBy(errors, ({ instancePath }) => instancePath).values()].flatMap(problemsAt)
}

/** The problems that Ajv found at one pointer into a value. */
function problemsAt(errors: readonly ErrorObject[]): readonly ValueProblem[] {
  // A union of literals is an enum: one message lists all of them.
  const union = errors.find((error) => error.keyword === 'anyOf')
  const options = errors.filter((error) => error.keyword === 'const')
  const isEnum = errors.every((error) => OF_AN_ENUM.has(error.keyword))
  if (union === undefined || options.length === 0 || !isEnum) return errors.map(inWords)
  const allowedValues = options.map(({ params }) => params.allowedValue)
  return [{ at: union.instancePath, message: oneOf(allowedValues), keyword: 'enum', params: { allowedValues } }]
}

function inWords({ keyword, instancePath, params, message = 'is not valid' }: ErrorObject): ValueProblem {
  const name: string | undefined = keyword === 'required' ? params.missingProperty : params.additionalProperty
  const at = name === undefined ? instancePath : `${instancePath}/${pointerStep(name)}`
  const told =
    keyword === 'additionalProperties' ? { additionalProperty: shortened(params.additionalProperty) } : params
  return { at, message: wordsFor(keyword, params) ?? message, keyword, params: told }
}

function wordsFor(keyword: string, params: ErrorObject['params']): string | undefined {
  switch (keyword) {
    case 'enum':
      return oneOf(params.allowedValues)
    case 'const':
      return oneOf([params.allowedValue])
    case 'required':
      return 'is required'
    case 'additionalProperties':
      return `the object has no property '${shortened(params.additionalProperty)}'`
    case 'minLength':
      return `must have at least ${counted(params.limit, 'character')}`
    case 'maxLength':
      return `must have at most ${counted(params.limit, 'character')}`
    case 'minItems':
      return `must have at least ${counted(params.limit, 'item')}`
    case 'maxItems':
      return `must have at most ${counted(params.limit, 'item')}`
    default:
      return undefined
  }
}

function counted(count: number, noun: string): string {
  return count === 1 ? `1 ${noun}` : `${count} ${noun}s`
}

function oneOf(values: readonly unknown[]): string {
  const texts = values.map((value) => JSON.stringify(value))
  return texts.length === 1 ? `must be ${texts[0]}` : `must be one of ${texts.join(', ')}`
}

/** A list of 1,000 numbers, each of them wrong, has a tenth of that. */
const MOST_CHARACTERS = 50_000

/**
 * The first problems, as many as there are paths of that length together, and at least one. A path has the client's own
 * keys: below a key of 500 kB, a thousand wrong values would be an answer of 500 MB.
 */
export function inShort<One>(problems: readonly One[], pathOf: (problem: One) => string): readonly One[] {
  let characters = 0
  const end = problems.findIndex((problem) => {
    characters += pathOf(problem).length
    return characters > MOST_CHARACTERS
  })
  return end === -1 ? problems : problems.slice(0, Math.max(1, end))
}

/**
 * How a value is stored. For each kind, the dialects say how a parameter carries it and how it becomes JSON. `'bytes'`
 * are base64 in bodies and answers.
 */
export type StorageKind = 'string' | 'date' | 'bytes' | 'integer' | 'number' | 'boolean' | 'json'

/** A value that a record shows and a schema describes: what fields and computed fields have in common. */
export interface DescribedValue {
  readonly name: string
  /** The property of a record that has its value: the name. */
  readonly property: string
  readonly schema: JsonSchema
  readonly storage: StorageKind
  /** Whether it may be null. */
  readonly nullable: boolean
  /** No body may set it. PUT ignores it, so that what GET returned can be sent back. */
  readonly readOnly: boolean
  /** No answer shows it. PUT leaves it as it is where the body does not name it. */
  readonly writeOnly: boolean
  /** Whether other records show it where they show this one, but do not own it. */
  readonly inSummary: boolean
  /** Which callers may see and set it; undefined: all of them. The three flags above hold for everybody. */
  readonly access: FieldAccess | undefined
  /** Lists what is wrong with a value that is not null. */
  check(value: unknown): readonly ValueProblem[]
}

/** The roles of which a caller has to have one; undefined: every caller may. */
export interface FieldAccess {
  readonly View: readonly string[] | undefined
  readonly Edit: readonly string[] | undefined
}

/** What is wrong with a value, and where in it: a JSON pointer, `''` for the value itself. */
export interface ValueProblem extends Fault {
  readonly at: string
}

/**
 * Replaces Ajv's `uniqueItems`, which compares every item with every other: 10,000 objects are 50 million comparisons.
 * This check turns each item into a text once. Equal items have equal texts.
 */
export function checkUniqueItemsByText(ajv: Ajv2019): void {
  ajv.removeKeyword('uniqueItems')
  ajv.addKeyword({
    keyword: 'uniqueItems',
    type: 'array',
    schemaType: 'boolean',
    before: 'additionalItems',
    validate: areUnique,
  })
}

const areUnique: SchemaValidateFunction = (wanted: boolean, items: readonly unknown[]) => {
  if (!wanted || items.length < 2) return true
  const indexes = new Map<string, number>()
  for (const [index, item] of items.entries()) {
    const text = textOf(item)
    const other = indexes.get(text)
    if (other !== undefined) {
      const message = `must NOT have duplicate items (items ## ${other} and ${index} are identical)`
      areUnique.errors = [{ keyword: 'uniqueItems', message, params: { i: index, j: other } }]
      return false
    }
    indexes.set(text, index)
  }
  return true
}

/** The texts of one value's parts, so that nested arrays with `uniqueItems` turn each part into a text only once. */
let texts: WeakMap<object, string> | undefined

/** Call it after each check: the caller may change the value before the next one. */
export function forgetTexts(): void {
  texts = undefined
}

/** A text that is the same for equal JSON values only. The order of an object's keys does not count. */
function textOf(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value)
  if (typeof value !== 'object' || value === null) return String(value)
  texts ??= new WeakMap()
  let text = texts.get(value)
  if (text === undefined) {
    text = Array.isArray(value) ? `[${value.map(textOf).join()}]` : `{${membersOf(value).join()}}`
    texts.set(value, text)
  }
  return text
}

function membersOf(value: object): readonly string[] {
  const members = Object.entries(value).map(([name, member]) => `${JSON.stringify(name)}:${textOf(member)}`)
  return members.sort()
}
