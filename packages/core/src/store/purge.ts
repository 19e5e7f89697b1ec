import { CrudError, notFound, stillNeeded } from '../errors.ts'
import type { Address } from '../model/collection-path.ts'
import type { Id } from '../model/ids/id-kind.ts'
import { noLookups } from '../planning/decide/lookups.ts'
import { type Changes, NO_POINTER, noChanges, removedOf } from '../planning/diff/changes.ts'
import { NO_NEW_IDS } from '../planning/order/new-ids.ts'
import { order } from '../planning/order/order.ts'
import { AT_ONCE } from '../planning/order/ordered.ts'
import { withRetries } from '../session/retries.ts'
import { behind, causeOf, type Session } from '../session/session.ts'
import { boundariesOn, withTransaction } from '../session/transaction.ts'
import { idSqlOf } from '../sql/text/member-id-sql.ts'
import { databaseRefusal } from '../writing/application-refusal.ts'
import { behindRows, lockOf, rowsToLock } from '../writing/lock.ts'
import { readDeleted } from '../writing/read-to-restore.ts'
import { runGroup } from '../writing/run-group.ts'
import { ownerInPath } from '../writing/vacancy.ts'
import type { WriteParts } from '../writing/write-call.ts'

/** Removes a deleted record for good, with all deleted records that it owns, whenever they were deleted. No rule runs:
 * they have seen the DELETE. */
export async function purge(parts: WriteParts, at: Address, id: Id, requestContext: unknown): Promise<void> {
  const { context, sessions, statements } = parts
  const boundaries = boundariesOn(context.db, context.dialect)
  const lock = lockOf(context, statements, at, id)
  try {
    await withRetries(context.db, () =>
      sessions.use(requestContext, (session) =>
        withTransaction(session, boundaries, () =>
          behind(session, lock, async () => {
            const changes = await changesToPurge(parts, session, at, id)
            const locks = await rowsToLock(parts, session, changes, noLookups)
            await behindRows(parts, session, locks, () => refuseIfNeeded(parts, session, changes, at, id))
            for (const step of order(changes, NOTHING_UNIQUE, [], AT_ONCE).steps) {
              await runGroup(parts, session, [step], NO_NEW_IDS)
            }
          }),
        ),
      ),
    )
  } catch (error) {
    // What the model does not know may need it.
    const refusal = error instanceof CrudError ? undefined : databaseRefusal(causeOf(error), 'remove', [])
    throw refusal === undefined ? error : new CrudError(refusal, { cause: error })
  }
}

const NOTHING_UNIQUE = { changed: [], handedOn: [] }

async function changesToPurge(parts: WriteParts, session: Session, at: Address, id: Id): Promise<Changes> {
  const { resource } = at.path
  const rows = await readDeleted(parts, session, resource, id, ownerInPath(at), 'all')
  if (rows.length === 0) throw new CrudError(notFound(resource.key, id))
  const changes: Changes = { ...noChanges(), isForGood: true }
  for (const [of, some] of Map.groupBy(rows, (row) => row.resource)) {
    const pointers = new Map(some.map(({ record }) => [record.id, NO_POINTER]))
    changes.removed.push({ resource: of, pointers, withOwner: new Set(), owners: new Set() })
  }
  return changes
}

/** Deleted records count, too, which need it in order to come back. */
async function refuseIfNeeded(
  { context, statements }: WriteParts,
  session: Session,
  changes: Changes,
  at: Address,
  id: Id,
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
      const blocker = { resource: source.key, relation: relation.name, count }
      const by = `${count} ${source.key} ${count === 1 ? 'record' : 'records'}, deleted ones included`
      throw new CrudError(stillNeeded(`${at.path.resource.key} ${id} is still needed by ${by}`, [], [blocker]))
    }
  }
}
