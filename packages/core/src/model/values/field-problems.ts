import type { ErrorObject } from 'ajv'
import { shortened } from '../../errors.ts'
import { pointerStep } from '../pointer-step.ts'
import type { ValueProblem } from './described-value.ts'

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
