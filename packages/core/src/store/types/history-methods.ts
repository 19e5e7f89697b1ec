import type { Effects, HistoryEntry, HistoryListing, HistoryOptions, ReturnsEffects } from '../../effects-form.ts'
import type { Model } from '../../model/model.ts'
import type { KeepsHistory } from '../../model/types/keeps-history.ts'
import type { Place } from '../../model/types/record-type.ts'
import type { ResourceKey } from '../../model/types/resource-keys.ts'
import type { AtMoment, CollectionId, Whole, WholeThen } from './read-options.ts'
import type { DryRun, DryRunOf, WriteOptions } from './write-options.ts'

/** What collections have besides, if a history is kept of their records. */
export interface HistoryMethods<
  M extends Model = Model,
  K extends ResourceKey<M> = ResourceKey<M>,
  P extends Place = 'owner',
> {
  /**
   * A page of the writes that have touched the record or what it owns, the newest first, as far as the caller may see
   * what they changed. Of a record that is gone, for those who might see and delete it as it was last.
   *
   * Rejects with `CRUD_ERR_NOT_FOUND` if there is no such record, with `CRUD_ERR_INVALID` for options that do not fit.
   *
   * @example
   * const resources = defineResources({ memo: { history: true, fields: { text: Type.String() } } })
   * await createTables(db, resources)
   * const { memo } = createStore({ db, resources })
   * const { id } = await memo.create({ text: 'tea' })
   * await memo.patch(id, { text: 'coffee' })
   * const { rows } = await memo.history(id)
   * for (const { at, operation, changes } of rows) console.log(at, operation, changes)
   */
  history(id: CollectionId<M, K, P>, options?: HistoryOptions): Promise<HistoryListing>

  /**
   * The record as it was at a moment, with what it owned: as `find` gives it, but without computed fields. What it
   * referred to and was linked to is there as it is now; links to what is gone are left out.
   *
   * Rejects with `CRUD_ERR_NOT_FOUND` if the record was not there at that moment, or the caller may not see it as it
   * was, with `CRUD_ERR_INVALID` if the history does not reach back so far.
   *
   * @example
   * const resources = defineResources({ memo: { history: true, fields: { text: Type.String() } } })
   * await createTables(db, resources)
   * const { memo } = createStore({ db, resources })
   * const { id } = await memo.create({ text: 'tea' })
   * const { rows: [added] } = await memo.history(id)
   * await memo.patch(id, { text: 'coffee' })
   * console.log(await memo.find(id, { at: added?.at ?? '' }))
   */
  find(id: CollectionId<M, K, P>, options: AtMoment): Promise<WholeThen<M, K, P>>

  /** One write that has touched the record. Rejects with `CRUD_ERR_NOT_FOUND` if there is none that the caller sees. */
  historyEntry(id: CollectionId<M, K, P>, write: string): Promise<HistoryEntry>

  /**
   * Undoes a write that has touched the record: what it deleted comes back with its id, what it added goes, what it
   * changed is set back, all of it or nothing. It is a write of its own: policies, rules, unique keys and relations
   * hold, and the history has it, so that it can be undone, too. Resolves to the record, or to undefined if that is
   * gone.
   *
   * Rejects with `CRUD_ERR_CHANGED` if later writes have changed what it would set back: the error lists that as
   * `changes`. With `CRUD_ERR_FORBIDDEN` if the caller may not see all of the write or set each of its fields.
   *
   * @example
   * const resources = defineResources({ memo: { history: true, fields: { text: Type.String() } } })
   * await createTables(db, resources)
   * const { memo } = createStore({ db, resources })
   * const { id } = await memo.create({ text: 'tea' })
   * await memo.patch(id, { text: 'coffee' })
   * const { rows: [last] } = await memo.history(id)
   * await memo.undo(id, last?.write ?? '')
   */
  undo(id: CollectionId<M, K, P>, write: string, options: ReturnsEffects): Promise<Effects>
  undo(id: CollectionId<M, K, P>, write: string, options: DryRun): Promise<DryRunOf<Whole<M, K, P>>>
  undo(id: CollectionId<M, K, P>, write: string, options?: WriteOptions): Promise<Whole<M, K, P> | undefined>
}

/** {@link HistoryMethods}, if a history is kept of the records. */
export type IfHistory<M extends Model, K extends ResourceKey<M>, P extends Place = 'owner'> =
  KeepsHistory<M['descriptors'], K> extends true ? HistoryMethods<M, K, P> : unknown
