import type { Count } from '../../asking/scope.ts'
import type { SoftDeleteDeclaration } from '../../model/descriptors/descriptors.ts'
import type { Model } from '../../model/model.ts'
import type { ChosenIn, NotGiven } from '../../model/types/chosen-record.ts'
import type { FieldName } from '../../model/types/contents-types.ts'
import type { Filter, SortName, ValueCondition } from '../../model/types/query-types.ts'
import type { Place } from '../../model/types/record-type.ts'
import type { ResourceKey } from '../../model/types/resource-keys.ts'
import type { Plan } from '../../planning/public/plan.ts'
import type {
  Allowed,
  CollectionId,
  FindOptions,
  IsCounted,
  Listing,
  ListOptions,
  Shown,
  Whole,
} from './read-options.ts'
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
  purge(id: CollectionId<M, K, P>, options: DryRun): Promise<{ plan: Plan }>
  purge(id: CollectionId<M, K, P>, options?: WriteOptions): Promise<void>
}

/**
 * Reads deleted records. To a caller, these are the ones that it may see and delete, by policies on their rows as they
 * are stored; what was deleted together with one is there for it.
 */
export interface DeletedReads<
  M extends Model = Model,
  K extends ResourceKey<M> = ResourceKey<M>,
  P extends Place = 'owner',
> {
  /**
   * The deleted record with that id, as it was, and when it was deleted. Rejects with `CRUD_ERR_NOT_FOUND` if there is
   * none, with `CRUD_ERR_FORBIDDEN` if the caller may see it and may not delete it.
   */
  find<const F extends readonly string[] = NotGiven, const I extends readonly string[] = NotGiven>(
    id: CollectionId<M, K, P>,
    options?: DeletedContents<M, K, F, I>,
  ): Promise<DeletedRecord<M, K, P, F, I>>

  /**
   * A page of deleted records, as `list` of the others. Default: those that were deleted last come first. The moment
   * can be filtered and sorted by under its name.
   *
   * @example
   * const softDelete = { column: 'deletedAt', trash: true } as const
   * const resources = defineResources({ memo: { softDelete, fields: { text: Type.String() } } })
   * await createTables(db, resources)
   * const { memo } = createStore({ db, resources })
   * const { id } = await memo.create({ text: 'tea' })
   * await memo.delete(id)
   * const { rows } = await memo.deleted.list({ filter: { deletedAt: { gte: '2026-01-01T00:00:00Z' } } })
   * for (const { deletedAt } of rows) console.log(deletedAt)
   */
  list<
    const F extends readonly string[] = NotGiven,
    const I extends readonly string[] = NotGiven,
    C extends Count | undefined = undefined,
    A extends string | undefined = undefined,
  >(
    options?: DeletedListOptions<M, K, F, I> & { readonly count?: C; readonly after?: A },
  ): Promise<Listing<DeletedRecord<M, K, P, F, I>, IsCounted<C, A>>>
}

type DeletedContents<
  M extends Model,
  K extends ResourceKey<M>,
  F extends readonly string[],
  I extends readonly string[],
> = Omit<FindOptions<M, K, readonly FieldName<M, K>[], I>, 'fields'> & {
  readonly fields?: Allowed<F, FieldName<M, K> | MomentName<M, K>>
}

type DeletedListOptions<
  M extends Model,
  K extends ResourceKey<M>,
  F extends readonly string[],
  I extends readonly string[],
> = Omit<ListOptions<M, K>, 'filter' | 'sort' | 'fields' | 'include' | 'nested'> &
  DeletedContents<M, K, F, I> & {
    readonly filter?: Filter<M, K> & { readonly [N in MomentName<M, K>]?: ValueCondition<string> }
    readonly sort?: readonly (SortName<M, K> | MomentName<M, K> | `-${MomentName<M, K>}`)[]
  }

type MomentName<M extends Model, K extends ResourceKey<M>> = M['descriptors'][K] extends {
  readonly softDelete: { readonly column: infer Name extends string }
}
  ? Name
  : never

/** Names that a list of fields does not have are not in its records. */
type DeletedRecord<
  M extends Model,
  K extends ResourceKey<M>,
  P extends Place,
  F extends readonly string[],
  I extends readonly string[],
> = Shown<M, K, P, ChosenIn<M['descriptors'], K, F, I>> & {
  [N in MomentName<M, K> & (number extends F['length'] ? string : F[number])]: string
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
