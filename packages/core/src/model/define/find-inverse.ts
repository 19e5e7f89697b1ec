import type { ModelProblem } from '../../errors.ts'
import { didYouMean } from '../check/suggest.ts'
import { type Declarations, type Declared, inverseOf } from './declared.ts'

/** The `ownedBy` on the other side: the one that `inverse` names, or the only one without a partner. */
export function findInverse(
  one: Declared,
  declarations: Declarations,
  paired: ReadonlySet<Declared>,
  problems: ModelProblem[],
): Declared | undefined {
  const { source, target, place, declaration } = one
  const inverse = (declaration.options as { inverse?: string }).inverse
  const facing = declarations.between(target, source).filter((other) => other.declaration.relation === 'ownedBy')
  if (inverse !== undefined) {
    const found = facing.find((other) => other.name === inverse)
    if (found === undefined) {
      const hint = didYouMean(
        inverse,
        facing.map((other) => other.name),
      )
      problems.push({
        place,
        message: `${target.key} has no relation '${inverse}' that is ownedBy('${source.key}')${hint}`,
      })
    } else if (paired.has(found)) {
      problems.push({ place, message: `${target.key}.relations.${inverse} is the inverse of another relation already` })
      return undefined
    }
    return found
  }
  const siblings = declarations.between(source, target)
  const named = new Set(siblings.map(inverseOf))
  const free = facing.filter((other) => !named.has(other.name))
  const owners = siblings.filter((other) => other.declaration.relation.startsWith('owns.'))
  if (free.length === 1 && owners.filter((other) => inverseOf(other) === undefined).length === 1) return free[0]
  problems.push({
    place,
    message:
      free.length === 0
        ? `${target.key} has no matching relation ownedBy('${source.key}'); 'owns' and 'ownedBy' come in pairs`
        : `${source.key} owns ${target.key} several times; name the matching ownedBy relation with 'inverse'`,
  })
  return undefined
}
