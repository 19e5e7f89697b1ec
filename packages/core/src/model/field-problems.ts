import type { ErrorObject } from 'ajv'
import { shortened } from '../errors.ts'
import type { ValueProblem } from './described-value.ts'
import { pointerStep } from './pointer-step.ts'

const OF_AN_ENUM = new Set(['anyOf', 'const', 'type'])

/** What Ajv found wrong with a value: in the words that records have, and with the place that each problem is about. */
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
  return [{ at: union.instancePath, message: oneOf(options.map(({ params }) => params.allowedValue)) }]
}

function inWords({ keyword, instancePath: at, params, message = 'is not valid' }: ErrorObject): ValueProblem {
  switch (keyword) {
    case 'enum':
      return { at, message: oneOf(params.allowedValues) }
    case 'const':
      return { at, message: oneOf([params.allowedValue]) }
    case 'required':
      return { at: `${at}/${pointerStep(params.missingProperty)}`, message: 'is required' }
    case 'additionalProperties': {
      const name: string = params.additionalProperty
      return { at: `${at}/${pointerStep(name)}`, message: `the object has no property '${shortened(name)}'` }
    }
    case 'minLength':
      return { at, message: `must have at least ${counted(params.limit, 'character')}` }
    case 'maxLength':
      return { at, message: `must have at most ${counted(params.limit, 'character')}` }
    case 'minItems':
      return { at, message: `must have at least ${counted(params.limit, 'item')}` }
    case 'maxItems':
      return { at, message: `must have at most ${counted(params.limit, 'item')}` }
    default:
      return { at, message }
  }
}

function counted(count: number, noun: string): string {
  return count === 1 ? `1 ${noun}` : `${count} ${noun}s`
}

function oneOf(values: readonly unknown[]): string {
  const texts = values.map((value) => JSON.stringify(value))
  return texts.length === 1 ? `must be ${texts[0]}` : `must be one of ${texts.join(', ')}`
}
