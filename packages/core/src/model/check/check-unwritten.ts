import { type ModelProblem, withArticle } from '../../errors.ts'
import type { ResourceDraft } from '../define/resource-draft.ts'
import { whyUnwritten } from '../operations.ts'

/** Refuses what makes no sense where requests only read the records of a resource, and what would have to name records without ids. */
export function checkUnwritten(draft: ResourceDraft, problems: ModelProblem[]): void {
  const { key, owns, ownedBy, references, links, hasId, isWritable, ifMatch } = draft
  const add = (place: string, message: string) => problems.push({ place: `${key}.${place}`, message })
  for (const { name, target } of owns) {
    if (target.isWritable === isWritable) continue
    const unwritten = isWritable ? target : draft
    const why = `'${unwritten.key}' has ${whyUnwritten(unwritten)}`
    add(`relations.${name}`, `records are written together with what they own, and ${why}`)
  }
  for (const { name, target } of [...references, ...links]) {
    if (!target.hasId) add(`relations.${name}`, `no record can name ${withArticle(target.key)}, which has id: false`)
  }
  if (!hasId) {
    const why = `records with id: false own nothing, and are owned by nothing`
    for (const { name } of [...owns, ...ownedBy]) add(`relations.${name}`, why)
  }
  if (isWritable) return
  const never = `no request changes ${withArticle(key)}, which has ${whyUnwritten(draft)}`
  for (const { name } of links)
    add(`relations.${name}`, `the rows of a link table are written with the record, but ${never}`)
  if (ifMatch !== undefined) add('ifMatch', `has no effect: ${never}`)
}
