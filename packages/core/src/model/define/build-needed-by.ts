import type { ModelProblem } from '../../errors.ts'
import { type Declarations, type Declared, inverseOf } from './declared.ts'

/** The `neededBy` relations that face a `needs`. */
export function facingNeededBy(one: Declared, declarations: Declarations): Declared[] {
  return declarations
    .between(one.target, one.source)
    .filter(
      (other) => other.declaration.relation.startsWith('neededBy.') && (inverseOf(other) ?? one.name) === one.name,
    )
}

/** Adds a `neededBy` to its resource, if it agrees with the `needs` that faces it. */
export function buildNeededBy(one: Declared, declarations: Declarations, problems: ModelProblem[]): void {
  const { declaration, place, name, source, target } = one
  if (declaration.relation !== 'neededBy.one' && declaration.relation !== 'neededBy.many') return
  const named = inverseOf(one)
  const facing = declarations
    .between(target, source)
    .filter((other) => other.declaration.relation.startsWith('needs.') && (named ?? other.name) === other.name)
  if (facing.length === 0) {
    problems.push({
      place,
      message: `${target.key} has no relation that needs '${source.key}'${named ? ` called '${named}'` : ''}`,
    })
    return
  }
  if (facing.length > 1) {
    problems.push({
      place,
      message: `${target.key} needs '${source.key}' several times; name the one that is meant with 'inverse'`,
    })
    return
  }
  const [other] = facing as [Declared]
  const inverse = [...target.references, ...target.links].find((relation) => relation.name === other.name)
  const many = declaration.relation === 'neededBy.many'
  if (inverse !== undefined) source.neededBy.push({ kind: 'neededBy', name, source, target, many, inverse })
  if (other.declaration.relation !== 'needs.one') return
  const unique = other.declaration.options.unique === true
  if (declaration.relation === 'neededBy.one' && !unique) {
    problems.push({
      place,
      message: `neededBy.one requires needs.one('${source.key}', { unique: true }) at ${other.place}`,
    })
  }
  if (declaration.relation === 'neededBy.many' && unique) {
    problems.push({
      place,
      message: `${other.place} is unique, so at most one record needs each ${source.key}: use neededBy.one`,
    })
  }
}
