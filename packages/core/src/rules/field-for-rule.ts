import type { Field, Resource } from '../model/model.ts'
import { didYouMean } from '../model/suggest.ts'

/** The field that a rule names; undefined, and a problem more, if the resource has none of that name. */
export function fieldForRule(resource: Resource, name: string, problems: string[]): Field | undefined {
  const { key, fields, references, ownedBy } = resource
  const field = fields.find((one) => one.name === name)
  if (field !== undefined) return field
  const known = fields.map((one) => one.name)
  if ([...references, ...ownedBy].some(({ foreignKey }) => foreignKey === name)) {
    problems.push(`'${name}' is a foreign key of ${key}, and the rule takes fields only`)
    return undefined
  }
  problems.push(`${key} has no field '${name}'${didYouMean(name, known)}`)
  return undefined
}
