import type { Count } from '../../asking/scope.ts'
import type { Model } from '../../model/model.ts'
import type { ChosenIn, NotGiven } from '../../model/types/chosen-record.ts'
import type { FieldName } from '../../model/types/contents-types.ts'
import type { Filter, SortName, ValueCondition } from '../../model/types/query-types.ts'
import type { Place } from '../../model/types/record-type.ts'
import type { ResourceKey } from '../../model/types/resource-keys.ts'
import type { Allowed, CollectionId, FindOptions, IsCounted, Listing, ListOptions, Shown } from './read-options.ts'

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

/** What a deleted record has, and which related ones. */
export type DeletedContents<
  M extends Model,
  K extends ResourceKey<M>,
  F extends readonly string[],
  I extends readonly string[],
> = Omit<FindOptions<M, K, readonly FieldName<M, K>[], I>, 'fields'> & {
  readonly fields?: Allowed<F, FieldName<M, K> | MomentName<M, K>>
}

/** Which deleted records a list has. */
export type DeletedListOptions<
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
export type DeletedRecord<
  M extends Model,
  K extends ResourceKey<M>,
  P extends Place,
  F extends readonly string[],
  I extends readonly string[],
> = Shown<M, K, P, ChosenIn<M['descriptors'], K, F, I>> & {
  [N in MomentName<M, K> & (number extends F['length'] ? string : F[number])]: string
}
