import type { Resource } from '../model/model.ts'
import { didYouMean } from '../model/suggest.ts'

/** Whether a rule can give the resource's rows a value of that name. If not, the problems have one more. */
export function checkSettable(resource: Resource, name: string, problems: string[]): boolean {
  const { key, members, references, ownedBy } = resource
  const known = members.map(({ property }) => property)
  if (known.includes(name)) return true
  const reference = references.find((one) => one.name === name)
  const owner = ownedBy.find((one) => one.foreignKey === name)
  if (reference !== undefined) {
    problems.push(`'${name}' is a relation of ${key}: name its foreign key, '${reference.foreignKey}'`)
  } else if (owner !== undefined) {
    problems.push(`'${name}' is the foreign key of what owns the ${key}, which the path fixes`)
  } else problems.push(`${key} has no field or foreign key '${name}'${didYouMean(name, known)}`)
  return false
}
