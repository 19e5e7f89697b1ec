import { CrudError } from '../errors.ts'
import { wakeReaders } from '../feed/wake-readers.ts'
import { type EndTogether, endTogether } from '../rules/stages/end-together.ts'
import { proveTransactions } from '../session/drivers/prove-transactions.ts'
import { type AnyTransaction, kyselyTransaction, type TransactionUse } from '../session/kysely-transaction.ts'
import { withRetries } from '../session/retries.ts'
import { causeOf, type Session } from '../session/session.ts'
import { type Boundaries, withTransaction } from '../session/transaction.ts'
import { databaseRefusal } from './application-refusal.ts'
import type { Gathering } from './effects/current-gathering.ts'
import {
  checkMatch,
  type EffectsCall,
  type EffectsSubject,
  effectsOf,
  gatheringFor,
  noteSeenAtEnd,
  prepareToKeep,
} from './effects/gathering.ts'
import type { CallTerms, WriteParts, WrittenEffects } from './write-call.ts'

/** How several writes share a transaction of the library, such as those of an action. */
export interface TogetherTerms extends Pick<CallTerms, 'requestContext' | 'rollsBack' | 'effects' | 'notePosition'> {
  readonly boundaries: Boundaries
  /** There are none: all of it reads. */
  readonly onlyReads: boolean
  /** Says why the transaction is of no use any more, to who goes on with it when it is over. */
  readonly whenOver: string
}

/** What the writes have in common. */
export interface WritesTogether {
  readonly session: Session
  /** The transaction, for the stores that write in it. */
  readonly db: AnyTransaction
  readonly end: EndTogether
  /** Undefined where nobody asks for effects. */
  readonly gathering: Gathering | undefined
}

/**
 * Does several writes in one transaction, as one write: tried again as a whole while others are in the way, with
 * `afterCommit` once at the end. Within a transaction that others have begun, they end with that.
 */
export async function writeTogether<Result>(
  parts: WriteParts,
  terms: TogetherTerms,
  work: (together: WritesTogether) => Promise<Result>,
): Promise<Result> {
  const { context, sessions } = parts
  const { result, end } = await withRetries(context.db, async () => {
    if (!context.db.isTransaction) await proveTransactions(context.db)
    await parts.learnTypes?.()
    return await sessions.use(terms.requestContext, async (session) => {
      const end = { ...endTogether(), ...takesEdited(parts) }
      return { end, result: await workOnce(parts, session, terms, end, work) }
    })
  })
  if (terms.rollsBack || terms.onlyReads) return result
  if (parts.history !== undefined) wakeReaders(context.db)
  if (parts.end !== undefined) parts.end.take(end.left, end.works)
  else if (!context.db.isTransaction) parts.afterCommits?.run(end.committed(), terms.requestContext, end.works)
  return result
}

/** Within others that end together, policies are not asked again about what these have stored. */
function takesEdited({ end }: WriteParts): Pick<EndTogether, 'takeStored'> {
  const takeStored = end?.takeStored
  return takeStored === undefined ? {} : { takeStored: (stored) => takeStored({ ...stored, guarded: [] }) }
}

async function workOnce<Result>(
  parts: WriteParts,
  session: Session,
  terms: TogetherTerms,
  end: EndTogether,
  work: (together: WritesTogether) => Promise<Result>,
): Promise<Result> {
  const { boundaries, rollsBack, onlyReads, whenOver, notePosition } = terms
  const keeps = parts.history !== undefined && !rollsBack
  const use: TransactionUse = { refusal: undefined }
  let isCommitting = false
  session.notePosition = rollsBack ? undefined : notePosition
  try {
    return await withTransaction(session, boundaries, async () => {
      try {
        const gathering = onlyReads ? undefined : gatheringFor(parts, session, terms, { use, keeps })
        const db = gathering?.transaction ?? kyselyTransaction(parts.context.db, session, use)
        const result = await work({ session, db, end, gathering })
        isCommitting = true
        return result
      } finally {
        // What still waits for something must not go on in the transaction of another request.
        use.refusal = whenOver
      }
    })
  } catch (error) {
    // A constraint that the database has checked at the end.
    const refusal =
      !isCommitting || error instanceof CrudError ? undefined : databaseRefusal(causeOf(error), 'write', [])
    throw refusal === undefined ? error : new CrudError(refusal, { cause: causeOf(error) })
  } finally {
    session.notePosition = undefined
  }
}

/** Behind the last of the writes: adds them to the history, and says what all of them do, if that is asked for.
 * Fails if the request says that they do something else. */
export async function effectsTogether(
  parts: WriteParts,
  { session, gathering }: WritesTogether,
  call: EffectsCall & Pick<CallTerms, 'requestContext'>,
  subject: EffectsSubject,
): Promise<WrittenEffects | undefined> {
  if (gathering === undefined) return undefined
  const keep = await prepareToKeep(parts, session, gathering, call, subject)
  await keep?.()
  if (call.effects === undefined) return undefined
  await noteSeenAtEnd(gathering, parts.maxChanges)
  checkMatch(gathering, call, subject)
  return effectsOf(gathering, call, subject)
}
