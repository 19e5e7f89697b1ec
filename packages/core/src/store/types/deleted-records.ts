import type { Effects, ReturnsEffects } from '../../effects-form.ts'
import type { SoftDeleteDeclaration } from '../../model/descriptors/descriptors.ts'
import type { Model } from '../../model/model.ts'
import type { Place } from '../../model/types/record-type.ts'
import type { ResourceKey } from '../../model/types/resource-keys.ts'
import type { Plan } from '../../planning/public/plan.ts'
import type { DeletedReads } from './deleted-reads.ts'
import type { CollectionId, Whole } from './read-options.ts'
import type { DryRun, DryRunOf, WriteOptions } from './write-options.ts'

/** What collections have besides, if the resource has `softDelete`: those at the top, and those of owners. */
export interface DeletedRecords<
  M extends Model = Model,
  K extends ResourceKey<M> = ResourceKey<M>,
  P extends Place = 'owner',
> {
  /**
   * Brings back a deleted record, with all that was deleted together with it; resolves to the record. References that
   * were cleared and links that were removed stay so. Policies and rules see new records (`Add`), whose values rules do
   * not set.
   *
   * Rejects with `CRUD_ERR_NOT_FOUND` if there is no such deleted record, with `CRUD_ERR_REFUSED` if its owner or what
   * it needs is deleted, with `CRUD_ERR_NOT_UNIQUE` or `CRUD_ERR_EXISTS` if another record has its unique values or its
   * place by now.
   *
   * @example
   * const resources = defineResources({ memo: { softDelete: 'deletedAt', fields: { text: Type.String() } } })
   * await createTables(db, resources)
   * const { memo } = createStore({ db, resources })
   * const { id } = await memo.create({ text: 'tea' })
   * await memo.delete(id)
   * const { text } = await memo.restore(id)
   */
  restore(id: CollectionId<M, K, P>, options: ReturnsEffects): Promise<Effects>
  restore(id: CollectionId<M, K, P>, options: DryRun): Promise<DryRunOf<Whole<M, K, P>>>
  restore(id: CollectionId<M, K, P>, options?: WriteOptions): Promise<Whole<M, K, P>>

  /**
   * Removes a deleted record for good, with all deleted records that it owns, whenever these were deleted. No rule
   * runs. Only for the application itself, unless the descriptor says `trash: { purge: true }`: then policies are asked
   * for `Delete`.
   *
   * Rejects with `CRUD_ERR_NOT_FOUND` if there is no such deleted record, with `CRUD_ERR_STILL_NEEDED` if another
   * deleted record needs one of them.
   */
  purge(id: CollectionId<M, K, P>, options: ReturnsEffects): Promise<Effects>
  purge(id: CollectionId<M, K, P>, options: DryRun): Promise<{ plan: Plan }>
  purge(id: CollectionId<M, K, P>, options?: WriteOptions): Promise<void>
}

/** {@link DeletedRecords}, if the resource has them, and {@link DeletedReads} in a trash. */
export type IfSoftDeleted<
  M extends Model,
  K extends ResourceKey<M>,
  P extends Place = 'owner',
> = M['descriptors'][K] extends { readonly softDelete: infer Declared extends string | SoftDeleteDeclaration }
  ? DeletedRecords<M, K, P> & (Declared extends { readonly trash: object | true } ? Trashed<M, K, P> : unknown)
  : unknown

interface Trashed<M extends Model, K extends ResourceKey<M>, P extends Place> {
  readonly deleted: DeletedReads<M, K, P>
}
