import { eraseRecord } from '../../history/erase-history.ts'
import { missingTable } from '../../history/keep-history.ts'
import type { Id } from '../../model/ids/id-kind.ts'
import { checkModel, type Model, type Resource, resourceOf } from '../../model/model.ts'
import { withRetries } from '../../session/retries.ts'
import { sessionPool } from '../../session/session-pool.ts'
import { boundariesOn, withTransaction } from '../../session/transaction.ts'
import { queryContext } from '../../sql/context.ts'
import type { AnyKysely } from '../../sql/dialect/database.ts'
import { NO_ONES, WHOSE, whoseRequest } from '../../sql/rows/whose-rows.ts'
import { statementsOf } from '../../sql/statements.ts'
import { HISTORY_RECORDS_TABLE, HISTORY_TABLE, PRUNED } from '../../sql/text/stored-rows.ts'
import { askerNamed } from '../tenants.ts'
import type { WhoseRecords } from '../types/store-types.ts'

/** Of which record the history is erased. In a model with tenants, it says whose record it is. */
export interface ErasedRecord extends Partial<WhoseRecords> {
  /** The key of its resource. */
  readonly resource: string
  readonly id: Id
}

/**
 * Removes all that the history has of a record, and of what it owned, in one transaction. Of a write that has touched
 * others, too, what it did to those stays; it cannot be undone any more.
 *
 * Rejects with a TypeError for a resource that the model does not have, and with `CRUD_ERR_NOT_FOUND` for what is no id
 * of a tenant.
 *
 * @example
 * const resources = defineResources({ memo: { history: true, fields: { text: Type.String() } } })
 * await createTables(db, resources)
 * await eraseHistory(db, resources, { resource: 'memo', id: 7 })
 */
export async function eraseHistory(
  db: AnyKysely,
  model: Model,
  { resource: key, id, ...whose }: ErasedRecord,
): Promise<void> {
  checkModel(model)
  const resource = resourceOf(model, key)
  const asker = askerNamed(model, whose)
  const context = queryContext(db, { model })
  const statements = statementsOf(context)
  await withRetries(db, () =>
    sessionPool(db).use(asker, (session) =>
      withTransaction(session, boundariesOn(db, context.dialect), () =>
        eraseRecord(model, statements, session, { resource, id }),
      ),
    ),
  ).catch(orMissing)
}

/** Which writes are removed. In a model with tenants: of the one that is named, or else those of all. */
export interface PruneOptions extends Partial<WhoseRecords> {
  /** The moment from which ages count. Default: now. */
  readonly now?: Date
}

/** So many writes are looked at in one transaction. */
const AT_ONCE = 200

/**
 * Removes writes that are older than their resources keep them (`history: { within: '90 days' }`), in small
 * transactions. A write that touches records of several resources stays as long as one of them keeps it. Resolves to
 * how many writes are gone.
 *
 * @example
 * const resources = defineResources({ memo: { history: { within: '90 days' }, fields: { text: Type.String() } } })
 * await createTables(db, resources)
 * console.log(await pruneHistory(db, resources))
 */
export async function pruneHistory(
  db: AnyKysely,
  model: Model,
  { now = new Date(), ...options }: PruneOptions = {},
): Promise<number> {
  checkModel(model)
  const whose = whoseRequest(askerNamed(model, options))[WHOSE]
  const kept = [...model.resources.values()].flatMap((resource) => {
    const within = keptFor(resource)
    return within === undefined ? [] : [{ key: resource.key, until: now.getTime() - within }]
  })
  const latest = Math.max(...kept.map(({ until }) => until))
  let removed = 0
  for (let last = 0; kept.length > 0; ) {
    const some = await db
      .selectFrom(HISTORY_TABLE)
      .select(['position', 'id', 'at'])
      .where('at', '<', latest)
      .where('operation', '!=', PRUNED)
      .where('position', '>', last)
      .$if(whose !== NO_ONES, (query) => query.where(WHOSE, '=', whose))
      .orderBy('position')
      .limit(AT_ONCE)
      .execute()
      .catch(orMissing)
    if (some.length === 0) break
    last = Number(some.at(-1)?.position)
    removed += await removeOld(
      db,
      kept,
      some.map(({ id, at }) => ({ id: String(id), at: Number(at) })),
    )
  }
  return removed
}

interface KeptUntil {
  readonly key: string
  readonly until: number
}

async function removeOld(
  db: AnyKysely,
  kept: readonly KeptUntil[],
  writes: readonly { readonly id: string; readonly at: number }[],
): Promise<number> {
  const ids = writes.map(({ id }) => id)
  return await db.transaction().execute(async (trx) => {
    for (const { key, until } of kept) {
      const old = writes.filter(({ at }) => at < until).map(({ id }) => id)
      if (old.length === 0) continue
      await trx.deleteFrom(HISTORY_RECORDS_TABLE).where('resource', '=', key).where('write', 'in', old).execute()
    }
    const left = await trx
      .selectFrom(HISTORY_RECORDS_TABLE)
      .select('write')
      .where('write', 'in', ids)
      .distinct()
      .execute()
    const named = new Set(left.map(({ write }) => String(write)))
    const gone = ids.filter((id) => !named.has(id))
    if (gone.length > 0) await removeWrites(trx, gone)
    return gone.length
  })
}

/** The last of all that were ever removed stays, without what it was. So who follows changes learns that some are
 * missing. */
async function removeWrites(trx: AnyKysely, gone: readonly string[]): Promise<void> {
  const marked = trx.selectFrom(HISTORY_TABLE).select('id').where('operation', '=', PRUNED)
  const last = await trx
    .selectFrom(HISTORY_TABLE)
    .select('id')
    .where((eb) => eb.or([eb('id', 'in', gone), eb('id', 'in', marked)]))
    .orderBy('position', 'desc')
    .limit(1)
    .executeTakeFirstOrThrow()
  await trx
    .updateTable(HISTORY_TABLE)
    .set({ operation: PRUNED, [WHOSE]: NO_ONES, resource: '', record: null, by: null, effects: '{"changes":[]}' })
    .where('id', '=', last.id)
    .where('operation', '!=', PRUNED)
    .execute()
  await trx
    .deleteFrom(HISTORY_TABLE)
    .where((eb) => eb.or([eb('id', 'in', gone), eb('operation', '=', PRUNED)]))
    .where('id', '!=', last.id)
    .execute()
}

/** How long writes of a resource's records are kept; undefined: for good, or never. Of several owners, the longest. */
function keptFor(resource: Resource): number | undefined {
  const above = new Set([resource])
  // A set grows while it is walked.
  for (const one of above) for (const { target } of one.ownedBy) above.add(target)
  const all = [...above].flatMap(({ history }) => (history === undefined ? [] : [history.within]))
  if (all.length === 0 || all.includes(undefined)) return undefined
  return Math.max(...all.flatMap((within) => within ?? []))
}

function orMissing(error: unknown): never {
  throw missingTable(error) ?? error
}
