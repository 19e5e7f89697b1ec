import { wholeRecordAt } from '../../asking/select/selections.ts'
import type { Id } from '../../model/ids/id-kind.ts'
import type { Session } from '../../session/session.ts'
import { recordToClientJson } from '../reads/client-json.ts'
import { sendable } from '../reads/sendable.ts'
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
  const texts = await readTexts(parts, session, at, ids, wholeRecordAt(at.path, context.fieldRights))
  const rows: string[] = []
  for (const id of ids) {
    const text = texts.get(id)
    if (text === undefined) continue
    const record = sendable(text, context.maxAnswer)
    if (record === undefined) return undefined
    rows.push(recordToClientJson(statements, at, record, statements.noteUnshown) as string)
  }
  return `{"rows":[${rows.join(',')}]}`
}
