import { type ModelProblem, withArticle } from '../../errors.ts'
import type { ResourceDraft } from '../build/resource-draft.ts'

/** Refuses what makes no sense where requests only read the records of a resource. */
export function checkUnwritten(draft: ResourceDraft, problems: ModelProblem[]): void {
  const { key, owns, links, ifMatch } = draft
  const add = (place: string, message: string) => problems.push({ place: `${key}.${place}`, message })
  for (const { name, target } of owns) {
    if (target.isWritable === draft.isWritable) continue
    const unwritten = draft.isWritable ? target.key : key
    add(`relations.${name}`, `records are written together with what they own, and '${unwritten}' has writable: false`)
  }
  if (draft.isWritable) return
  const never = `no request changes ${withArticle(key)}, which has writable: false`
  for (const { name } of links)
    add(`relations.${name}`, `the rows of a link table are written with the record, but ${never}`)
  if (ifMatch !== undefined) add('ifMatch', `has no effect: ${never}`)
}
