import { wholeRecordAt } from '../../asking/select/selections.ts'
import type { Id } from '../../model/ids/id-kind.ts'
import type { Session } from '../../session/session.ts'
import { recordToClientJson } from '../reads/client-json.ts'
import type { CallTerms, WriteParts } from '../write-call.ts'
import { readTexts } from './read-states.ts'

/**
 * The records that a write has left, as JSON `{"rows":[…]}` in the order of the request, without those that the caller may not see.
 * Undefined if they are too large for an answer.
 */
export async function readBackMany(
  parts: WriteParts,
  session: Session,
  { at }: Pick<CallTerms, 'at'>,
  ids: readonly Id[],
): Promise<string | undefined> {
  const { context, statements } = parts
  const selection = wholeRecordAt(at.path, context.fieldRights)
  const found = new Map<Id, string>()
  let isTooLarge = false
  await readTexts(parts, session, at, ids, { selection }, (id, text) => {
    if (text === undefined) isTooLarge = true
    else if (!isTooLarge) found.set(id, recordToClientJson(statements, at, text, statements.noteUnshown) as string)
  })
  if (isTooLarge) return undefined
  return `{"rows":[${ids.flatMap((id) => found.get(id) ?? []).join(',')}]}`
}
