import type { ModelProblem } from '../../errors.ts'
import { didYouMean } from '../check/names.ts'
import { isObject } from '../is-object.ts'

const ENTRIES = ['fields', 'index']

/** Whether the value declares a search. What its names mean is looked at later. */
export function checkSearch(place: string, given: unknown, problems: ModelProblem[]): boolean {
  if (given === undefined) return true
  const { fields } = isObject(given) ? (given as { readonly fields?: unknown }) : {}
  if (!Array.isArray(fields) || fields.length === 0 || !fields.every((path) => typeof path === 'string')) {
    problems.push({ place, message: "must be an object with paths to texts: { fields: ['title', 'authors.name'] }" })
    return false
  }
  const unknown = Object.keys(given as object).filter((entry) => !ENTRIES.includes(entry))
  for (const entry of unknown) {
    problems.push({ place: `${place}.${entry}`, message: `a search has no '${entry}'${didYouMean(entry, ENTRIES)}` })
  }
  const { index } = given as { readonly index?: unknown }
  if (index === undefined || index === true) return unknown.length === 0
  problems.push({ place: `${place}.index`, message: 'must be true, or be left out' })
  return false
}
