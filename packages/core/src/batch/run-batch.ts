import type { RowAction } from '../asking/policies/rights.ts'
import { CrudError, ofRequest, tooLarge } from '../errors.ts'
import type { Id } from '../model/ids/id-kind.ts'
import type { Resource } from '../model/model.ts'
import { type GuardedRows, RowsByAction } from '../planning/decide/guarded-rows.ts'
import { PendingAnswersError } from '../planning/decide/planned-actions.ts'
import { lockTopmost } from '../rules/rows/row-locks.ts'
import {
  checkInvariantsOfAll,
  type EndTogether,
  endTogether,
  type StoredByWrite,
} from '../rules/stages/end-together.ts'
import type { Session } from '../session/session.ts'
import { boundariesOn, undone } from '../session/transaction.ts'
import type { AnyKysely } from '../sql/dialect/database.ts'
import { whileGathering } from '../writing/effects/gathering.ts'
import { claimKey, doOnceForKey, isKeyUsed } from '../writing/repeats.ts'
import { effectsTogether, type WritesTogether, writeTogether } from '../writing/together.ts'
import type { CallTerms, WriteParts, WrittenEffects } from '../writing/write-call.ts'

/** One request of a batch, as its service carries it out. */
export interface BatchPart<Answer extends PartAnswer = PartAnswer> {
  /** How later requests name the record that it creates; undefined: they do not. */
  readonly as: string | undefined
  /** The records of its path, and those that its body names, whose topmost owners are locked first. */
  readonly locks: readonly BatchLock[]
  run(transaction: BatchTransaction): Promise<Answer>
}

export interface BatchLock {
  readonly resource: Resource
  readonly id: Id
}

/** The transaction of a batch, for one of its requests. */
export interface BatchTransaction {
  readonly db: AnyKysely
  /** Of the stores that are opened in it. */
  readonly end: EndTogether
  /** The ids of the records that earlier requests have created, by the names of these. */
  readonly names: ReadonlyMap<string, Id>
}

/** What a request of a batch has answered. */
export interface PartAnswer {
  /** Of the record that it has created. */
  readonly id?: Id | undefined
  /** As JSON; undefined: none. */
  readonly json?: string | undefined
}

/** What is asked of a batch as a whole. */
export type BatchTerms = Omit<CallTerms, 'at' | 'precondition' | 'permit' | 'maxAffected' | 'readsBack' | 'asks'>

export interface BatchDone<Answer extends PartAnswer = PartAnswer> {
  readonly answers: readonly Answer[]
  readonly effects?: WrittenEffects | undefined
}

/**
 * Carries out requests one after the other, as one write: all of them are done, or none. Each sees what those before it
 * have done. Policies on what is stored, and invariants, are asked again at the end.
 *
 * Fails with what refuses a request; the error says which one.
 */
export async function runBatch<Answer extends PartAnswer>(
  parts: WriteParts,
  requests: readonly BatchPart<Answer>[],
  terms: BatchTerms,
): Promise<BatchDone<Answer>> {
  const { repeat } = terms
  if (repeat === undefined) return await untilAnswered(() => carryOut(parts, requests, terms, false))
  return await doOnceForKey(
    parts,
    terms,
    repeat,
    () => untilAnswered(() => carryOut(parts, requests, terms, false)),
    () => untilAnswered(() => repeated(parts, requests, terms)),
  )
}

/** What a batch may do is asked while no transaction waits for the answers. */
async function untilAnswered<Result>(work: () => Promise<Result>): Promise<Result> {
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof PendingAnswersError)) throw error
      await error.answers
    }
  }
}

/** Each request of a batch that is sent again is a repeat of its own. */
async function repeated<Answer extends PartAnswer>(
  parts: WriteParts,
  requests: readonly BatchPart<Answer>[],
  terms: BatchTerms,
): Promise<BatchDone<Answer> | undefined> {
  const { repeat } = terms
  if (repeat === undefined || !(await isKeyUsed(parts, terms, repeat))) return undefined
  return await carryOut(parts, requests, { ...terms, effects: undefined }, true)
}

async function carryOut<Answer extends PartAnswer>(
  parts: WriteParts,
  requests: readonly BatchPart<Answer>[],
  terms: BatchTerms,
  isRepeat: boolean,
): Promise<BatchDone<Answer>> {
  const { db, dialect } = parts.context
  const boundaries = boundariesOn(db, dialect)
  const together = {
    ...terms,
    boundaries: terms.rollsBack ? undone(boundaries, dialect.checkDeferred) : boundaries,
    onlyReads: false,
    whenOver: 'the transaction of the batch is over',
  }
  return await writeTogether(parts, together, async (writes) => {
    const { session, gathering, end } = writes
    if (terms.repeat !== undefined && !isRepeat) await claimKey(parts, session, terms, terms.repeat, BATCH)
    await lockAll(parts, session, requests)
    const stored = storedRows()
    const ends = requests.map((_, index) => ({ ...endTogether(), takeStored: stored.of(index) }))
    const answers = await whileGathering(gathering, !terms.rollsBack, () => runAll(parts, writes, requests, ends))
    await stored.askAgain()
    await checkInvariantsOfAll(ends, refusalIn)
    for (const { left, works } of ends) end.take(left, works)
    const effects = await effectsTogether(parts, writes, terms, { operation: BATCH, id: undefined })
    return { answers, effects }
  })
}

/** What effects call a batch, and the resource of its key. */
const BATCH = 'batch'

/** In the order of all writers. */
async function lockAll(
  { context, statements }: WriteParts,
  session: Session,
  requests: readonly BatchPart[],
): Promise<void> {
  if (context.dialect.rowLocks === undefined) return
  const records = new Map<Resource, Set<Id>>()
  for (const { resource, id } of requests.flatMap(({ locks }) => locks)) {
    records.set(resource, (records.get(resource) ?? new Set<Id>()).add(id))
  }
  if (records.size > 0) await lockTopmost(statements, session, records)
}

async function runAll<Answer extends PartAnswer>(
  { context: { maxAnswer } }: WriteParts,
  { db, gathering }: WritesTogether,
  requests: readonly BatchPart<Answer>[],
  ends: readonly EndTogether[],
): Promise<readonly Answer[]> {
  const names = new Map<string, Id>()
  const answers: Answer[] = []
  let size = 0
  for (const [index, request] of requests.entries()) {
    if (gathering !== undefined) {
      gathering.ofWithin = ({ pointer, ...change }) => {
        return { ...change, pointer: pointer === undefined ? undefined : `/requests/${index}/body${pointer}` }
      }
    }
    try {
      const answer = await request.run({ db, end: ends[index] as EndTogether, names })
      if (request.as !== undefined && answer.id !== undefined) names.set(request.as, answer.id)
      size += answer.json === undefined ? 0 : Buffer.byteLength(answer.json)
      if (size > maxAnswer) {
        throw new CrudError(tooLarge('the answer', maxAnswer, 'send fewer requests, or Prefer: return=minimal'))
      }
      answers.push(answer)
    } catch (error) {
      throw refusalIn(index, error)
    }
  }
  return answers
}

/** What refuses a request, as the batch says it. What is no refusal stays as it is. */
function refusalIn(index: number, error: unknown): unknown {
  if (!(error instanceof CrudError) || error.request !== undefined) return error
  return new CrudError(ofRequest(error, index), { cause: error.cause })
}

function keyOf({ key }: Resource, id: Id): string {
  return JSON.stringify([key, id])
}

/** The rows that requests have stored, and that policies are asked about once more: as the last request left each. */
function storedRows() {
  const last = new Map<string, StoredRow>()
  return {
    of:
      (index: number): NonNullable<EndTogether['takeStored']> =>
      ({ guarded, edited, askAgain: ask }) => {
        for (const { resource, id } of edited) {
          const key = keyOf(resource, id)
          if (last.get(key)?.index !== index) last.delete(key)
        }
        for (const { resource, action, rows } of guarded) {
          for (const id of rows.keys()) {
            const key = keyOf(resource, id)
            const known = last.get(key)
            if (known?.index === index) known.actions.add(action)
            else last.set(key, { index, ask, resource, id, actions: new Set([action]) })
          }
        }
      },
    async askAgain(): Promise<void> {
      const all = [...last.values()].toSorted((one, other) => one.index - other.index)
      for (const [ask, some] of Map.groupBy(all, (one) => one.ask)) {
        const [{ index }] = some as [(typeof all)[number]]
        try {
          await ask(toGuarded(some))
        } catch (error) {
          throw refusalIn(index, error)
        }
      }
    },
  }
}

interface StoredRow {
  readonly index: number
  readonly ask: StoredByWrite['askAgain']
  readonly resource: Resource
  readonly id: Id
  readonly actions: Set<RowAction>
}

function toGuarded(all: readonly StoredRow[]): readonly GuardedRows<Id>[] {
  const rows = new RowsByAction<Id>()
  for (const { resource, id, actions } of all) for (const action of actions) rows.add(action, resource, id, undefined)
  return rows.all
}
