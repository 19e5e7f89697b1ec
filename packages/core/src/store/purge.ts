import { mayHide, restricts } from '../asking/policies/rights.ts'
import { makeChanges } from '../effects/make-changes.ts'
import { recordKey } from '../effects/whole-change.ts'
import { CrudError, notAllowed, notFound, stillNeeded, tooManyAffected, tooManyChanges } from '../errors.ts'
import { eraseRecord } from '../history/erase-history.ts'
import type { Id } from '../model/ids/id-kind.ts'
import type { Resource } from '../model/model.ts'
import { NOTHING_HIDDEN } from '../planning/body/draft.ts'
import { affectedRecords } from '../planning/decide/guarded-rows.ts'
import { noLookups } from '../planning/decide/lookups.ts'
import { PendingAnswersError, plannedActions } from '../planning/decide/planned-actions.ts'
import { type Changes, NO_POINTER, noChanges, type OwnerKind, removedOf } from '../planning/diff/changes.ts'
import { NO_NEW_IDS } from '../planning/order/new-ids.ts'
import { order } from '../planning/order/order.ts'
import { AT_ONCE } from '../planning/order/ordered.ts'
import { toPlan } from '../planning/public/plan.ts'
import { withRetries } from '../session/retries.ts'
import { behind, causeOf, type Session } from '../session/session.ts'
import { boundariesOn, undone, withTransaction } from '../session/transaction.ts'
import { idSqlOf } from '../sql/text/member-id-sql.ts'
import { databaseRefusal } from '../writing/application-refusal.ts'
import type { Gathering } from '../writing/effects/current-gathering.ts'
import { checkMatch, effectsOf, gatheringFor, whileGathering } from '../writing/effects/gathering.ts'
import { behindRows, lockOf, rowsToLock } from '../writing/lock.ts'
import { checkDeleted, type DeletedRow, readDeleted } from '../writing/read-to-restore.ts'
import { claimKey, writeOnceForKey } from '../writing/repeats.ts'
import { runGroup } from '../writing/run-group.ts'
import { ownerInPath } from '../writing/vacancy.ts'
import type { CallTerms, WriteParts, Written } from '../writing/write-call.ts'

/** A deleted record is removed for good. */
export interface PurgeCall extends CallTerms {
  readonly id: Id
}

/**
 * Removes a deleted record for good, with all deleted records that it owns, whenever they were deleted. No rule runs:
 * they have seen the DELETE.
 */
export async function purge(parts: WriteParts, call: PurgeCall): Promise<Pick<Written, 'plan' | 'effects'>> {
  const carryOut = () => purgeUntilDone(parts, call)
  return await (call.repeat === undefined ? carryOut() : writeOnceForKey(parts, call, call.repeat, carryOut))
}

async function purgeUntilDone(parts: WriteParts, call: PurgeCall): Promise<Written> {
  for (;;) {
    try {
      return await purgeOnce(parts, call)
    } catch (error) {
      if (error instanceof PendingAnswersError && parts.end === undefined) {
        await error.answers
        continue
      }
      // What the model does not know may need it.
      const refusal = error instanceof CrudError ? undefined : databaseRefusal(causeOf(error), 'remove', [])
      throw refusal === undefined ? error : new CrudError(refusal, { cause: error })
    }
  }
}

async function purgeOnce(parts: WriteParts, call: PurgeCall): Promise<Written> {
  const { context, sessions, statements } = parts
  const { at, id, rollsBack, repeat, notePosition } = call
  const boundaries = boundariesOn(context.db, context.dialect)
  const atEnd = rollsBack ? undone(boundaries, context.dialect.checkDeferred) : boundaries
  const lock = lockOf(context, statements, at, id)
  return await withRetries(context.db, () =>
    sessions.use(call.requestContext, (session) => {
      session.notePosition = rollsBack ? undefined : notePosition
      return withTransaction(session, atEnd, async () => {
        if (repeat !== undefined) await claimKey(parts, session, call, repeat, at.path.resource.key, id)
        return await behind(session, lock, async () => {
          const { changes, rows } = await changesToPurge(parts, session, call)
          await refuseOthers(parts, session, changes, call)
          const locks = await rowsToLock(parts, session, changes, noLookups)
          await behindRows(parts, session, locks, () => refuseIfNeeded(parts, session, changes, call))
          const ordered = order(changes, NOTHING_UNIQUE, [], AT_ONCE)
          for (const step of ordered.steps) await runGroup(parts, session, [step], NO_NEW_IDS)
          await eraseHistoryOf(parts, session, rows)
          const gathering = gatheringFor(parts, session, call, { keeps: false })
          const written = { id, json: undefined, plan: rollsBack ? toPlan(ordered) : undefined }
          if (gathering === undefined) return written
          await whileGathering(gathering, !rollsBack, async () => gatherPurge(parts, gathering, call, changes, rows))
          checkMatch(gathering, call, { operation: 'purge', id })
          const effects = effectsOf(gathering, call, { operation: 'purge', id })
          return { ...written, effects }
        })
      })
    }),
  )
}

const NOTHING_UNIQUE = { changed: [], handedOn: [] }

/** Of what goes for good, the history keeps nothing. */
async function eraseHistoryOf(
  { context: { model }, statements, history }: WriteParts,
  session: Session,
  rows: readonly DeletedRow[],
): Promise<void> {
  if (history === undefined || model === undefined) return
  for (const { resource, record } of rows) {
    await eraseRecord(model, statements, session, { resource, id: record.id })
  }
}

/** A caller that policies keep from seeing rows is told of the record alone, and of rows that no policy hides: of
 * deleted rows, nobody asks what it sees. */
function gatherPurge(
  { context, maxChanges }: WriteParts,
  gathering: Gathering,
  { id, at }: PurgeCall,
  changes: Changes,
  rows: readonly DeletedRow[],
): void {
  if (rows.length > maxChanges) throw new CrudError(tooManyChanges(maxChanges))
  const { path } = at
  const byRecord = new Map(rows.map((row) => [recordKey(row.resource, row.record.id), row]))
  for (const { resource, record } of rows) {
    const isItself = resource === path.resource && record.id === id
    if (!isItself && mayHide(context.rights, resource)) gathering.unseen.before.add(recordKey(resource, record.id))
  }
  const rowBefore = (resource: Resource, of: Id) => byRecord.get(recordKey(resource, of))
  gathering.changes.push(...makeChanges({ ...NOTHING_WRITTEN, changes, rowBefore }))
}

const NOTHING_WRITTEN = { naming: [], bodyAt: undefined, idInPath: undefined, ids: [], rowAfter: () => undefined }

interface RowsToPurge {
  readonly changes: Changes
  readonly rows: readonly DeletedRow[]
}

async function changesToPurge(parts: WriteParts, session: Session, call: PurgeCall): Promise<RowsToPurge> {
  const { at, id } = call
  const { resource } = at.path
  if (resource.trash !== undefined) await checkDeleted(parts, session, call)
  const rows = await readDeleted(parts, session, resource, id, ownerInPath(at), 'all')
  if (rows.length === 0) throw new CrudError(notFound(resource.key, id))
  const changes: Changes = { ...noChanges(), isForGood: true }
  for (const [of, some] of Map.groupBy(rows, (row) => row.resource)) {
    const pointers = new Map(some.map(({ record }) => [record.id, NO_POINTER]))
    const owners = new Set(some.map(({ owner }): OwnerKind => owner?.by.target ?? 'none'))
    changes.removed.push({ resource: of, pointers, withOwner: new Set(), owners })
  }
  return { changes, rows }
}

/** What the record owns may be deleted, too, and not too much of it. */
async function refuseOthers(
  { context, statements }: WriteParts,
  session: Session,
  changes: Changes,
  { at, permit, maxAffected }: PurgeCall,
): Promise<void> {
  const refusal = permit?.refusalOf(plannedActions(changes))
  if (refusal !== undefined) throw new CrudError(refusal)
  for (const { resource, pointers } of changes.removed) {
    // The record itself is asked about where it is read.
    if (at.path.resource.trash === undefined || !restricts(context.rights, resource, 'Delete')) continue
    const ids = idSqlOf(context, resource).encodeList([...pointers.keys()])
    const [count] = JSON.parse((await session.value<string>(statements.undeletable(resource), [ids])) as string)
    if (count > 0) throw new CrudError(notAllowed())
  }
  const affected = affectedRecords(changes, NOTHING_HIDDEN)
  if (maxAffected !== undefined && affected > maxAffected) throw new CrudError(tooManyAffected(maxAffected))
}

/** Deleted records count, too, which need it in order to come back. Of what the caller may not see, nothing is said. */
async function refuseIfNeeded(
  { context, statements }: WriteParts,
  session: Session,
  changes: Changes,
  { at, id, permit }: PurgeCall,
): Promise<void> {
  for (const { resource, pointers } of changes.removed) {
    for (const relation of [...resource.referencedBy, ...resource.linkedBy].filter(({ needs }) => needs)) {
      const { source } = relation
      const others = [...(removedOf(changes, source)?.keys() ?? [])]
      const values = [
        idSqlOf(context, resource).encodeList([...pointers.keys()]),
        idSqlOf(context, source).encodeList(others),
      ]
      const [count] = JSON.parse(
        (await session.value<string>(statements.needingDeleted(relation), values)) as string,
      ) as [number]
      if (count === 0) continue
      const isHidden = () => permit?.hiddenOf({ owned: [], related: [source] }).has(source) === true
      if (mayHide(context.rights, source) || isHidden()) throw new CrudError(stillNeeded('it is still needed'))
      const blocker = { resource: source.key, relation: relation.name, count }
      const by = `${count} ${source.key} ${count === 1 ? 'record' : 'records'}, deleted ones included`
      throw new CrudError(stillNeeded(`${at.path.resource.key} ${id} is still needed by ${by}`, [], [blocker]))
    }
  }
}
