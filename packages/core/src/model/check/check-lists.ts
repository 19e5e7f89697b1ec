import type { ModelProblem } from '../../errors.ts'
import { isObject } from '../is-object.ts'
import { problemOfName } from './problem-of-name.ts'
import { didYouMean } from './suggest.ts'

/** Whether the value is a list of lists of names. */
export function checkNameLists(place: string, given: unknown, example: string, problems: ModelProblem[]): boolean {
  const fits =
    given === undefined ||
    (Array.isArray(given) &&
      given.every((names) => Array.isArray(names) && names.every((name) => typeof name === 'string')))
  if (!fits) problems.push({ place, message: `must be an array of arrays of names: ${example}` })
  return fits
}

const UNIQUE_ENTRIES = ['fields', 'where']

/** Lists of names, or objects with such a list and a condition. */
export function checkUniques(place: string, given: unknown, problems: ModelProblem[]): boolean {
  if (!Array.isArray(given)) return checkNameLists(place, given, EXAMPLE_OF_UNIQUES, problems)
  const before = problems.length
  const lists = given.map((one) => (isObject(one) ? one.fields : one))
  checkNameLists(place, lists, EXAMPLE_OF_UNIQUES, problems)
  for (const [index, one] of given.entries()) {
    if (!isObject(one)) continue
    for (const entry of Object.keys(one)) {
      if (UNIQUE_ENTRIES.includes(entry)) continue
      const message = `a unique key has no '${entry}'${didYouMean(entry, UNIQUE_ENTRIES)}`
      problems.push({ place: `${place}[${index}].${entry}`, message })
    }
    checkConditions(`${place}[${index}].where`, one.where, problems)
  }
  return problems.length === before
}

const EXAMPLE_OF_UNIQUES = "[['isbn'], { fields: ['email'], where: { deletedAt: null } }]"

function checkConditions(place: string, where: unknown, problems: ModelProblem[]): void {
  if (where === undefined) return
  if (!isObject(where) || Object.keys(where).length === 0) {
    problems.push({ place, message: 'must be an object with at least one condition: { deletedAt: null }' })
    return
  }
  for (const [name, is] of Object.entries(where)) {
    const isNotNull = isObject(is) && Object.keys(is).join() === 'null' && is.null === false
    if (is === null || isNotNull || isConstant(is)) continue
    const message = 'must be a string, a number, a boolean, null, or { null: false } for not null'
    problems.push({ place: `${place}.${name}`, message })
  }
}

/** A column and its constant. */
export function checkDiscriminator(place: string, where: unknown, problems: ModelProblem[]): boolean {
  if (where === undefined) return true
  const [entry, another] = isObject(where) ? Object.entries(where) : []
  if (entry === undefined || another !== undefined || !isConstant(entry[1])) {
    problems.push({ place, message: "must be an object with one column and its constant: { type: 'Admin' }" })
    return false
  }
  const misnamed = problemOfName(entry[0])
  if (misnamed !== undefined) problems.push({ place, message: misnamed })
  return true
}

function isConstant(value: unknown): boolean {
  return ['string', 'boolean'].includes(typeof value) || (typeof value === 'number' && Number.isFinite(value))
}
