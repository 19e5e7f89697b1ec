import type { ModelProblem } from '../../errors.ts'
import { buildingOf, type ResourceDraft } from '../define/resource-draft.ts'
import type { RelationDeclaration } from '../descriptors/relations.ts'
import { didYouMean } from './suggest.ts'

/** Checks the names in a descriptor's `defaultInclude`. */
export function checkDefaultInclude(draft: ResourceDraft, problems: ModelProblem[]): void {
  const { defaultInclude: names = [], relations = {} } = buildingOf(draft).descriptor
  const place = `${draft.key}.defaultInclude`
  const known = Object.keys(relations).filter((name) => isShown(relations[name]))
  for (const [index, name] of names.entries()) {
    if (names.indexOf(name) < index) {
      problems.push({ place, message: `'${name}' occurs twice` })
    } else if (!known.includes(name)) {
      const hint = Object.hasOwn(relations, name) ? '' : didYouMean(name, known)
      problems.push({ place, message: `'${name}' is not a relation that owns, needs or knows records${hint}` })
    }
  }
}

function isShown(declaration: RelationDeclaration | undefined): boolean {
  return declaration !== undefined && /^(owns|needs|knows)\./.test(declaration.relation)
}
