import type { ModelProblem } from '../../errors.ts'
import { problemOfRelationName } from '../check/problem-of-name.ts'
import { didYouMean } from '../check/suggest.ts'
import type { RelationDeclaration } from '../descriptors/relations.ts'
import { buildingOf, type ResourceDraft } from './resource-draft.ts'

/** One declared relation. `place` names it in problems. */
export interface Declared {
  readonly name: string
  readonly place: string
  readonly source: ResourceDraft
  readonly target: ResourceDraft
  readonly declaration: RelationDeclaration
}

/** All declared relations, and those from one resource to another. */
export interface Declarations {
  readonly all: readonly Declared[]
  between(source: ResourceDraft, target: ResourceDraft): readonly Declared[]
}

/** The relations of all descriptors. A relation to a resource that does not exist is a problem, and left out. */
export function declarationsOf(drafts: ReadonlyMap<string, ResourceDraft>, problems: ModelProblem[]): Declarations {
  const all = [...drafts.values()].flatMap((source) => declaredIn(source, drafts, problems))
  const byEnds = new Map<string, Declared[]>()
  for (const one of all) {
    const ends = `${one.source.key} ${one.target.key}`
    byEnds.set(ends, [...(byEnds.get(ends) ?? []), one])
  }
  return { all, between: (source, target) => byEnds.get(`${source.key} ${target.key}`) ?? [] }
}

/** The option `inverse`; undefined if the relation does not have it. */
export function inverseOf(one: Declared): string | undefined {
  return (one.declaration.options as { inverse?: string }).inverse
}

function declaredIn(
  source: ResourceDraft,
  drafts: ReadonlyMap<string, ResourceDraft>,
  problems: ModelProblem[],
): Declared[] {
  const found: Declared[] = []
  for (const [name, declaration] of Object.entries(buildingOf(source).descriptor.relations ?? {})) {
    const place = `${source.key}.relations.${name}`
    const target = drafts.get(declaration.target)
    const misnamed = problemOfRelationName('relation', name)
    if (misnamed !== undefined) {
      problems.push({ place, message: misnamed })
    } else if (target === undefined) {
      const hint = didYouMean(declaration.target, drafts.keys())
      problems.push({ place, message: `no resource '${declaration.target}'${hint}` })
    } else {
      found.push({ name, place, source, target, declaration })
    }
  }
  return found
}
