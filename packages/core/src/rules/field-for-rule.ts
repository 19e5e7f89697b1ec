import type { Field, Resource } from '../model/model.ts'
import { didYouMean } from '../model/suggest.ts'

/** The field that a rule names; undefined, and a problem more, if the resource has none of that name. */
export function fieldForRule({ key, fields }: Resource, name: string, problems: string[]): Field | undefined {
  const field = fields.find((one) => one.name === name)
  if (field !== undefined) return field
  const known = fields.map((one) => one.name)
  problems.push(`${key} has no field '${name}'${didYouMean(name, known)}`)
  return undefined
}
