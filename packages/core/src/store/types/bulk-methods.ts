import type { Effects, ReturnsEffects } from '../../effects-form.ts'
import type { Model } from '../../model/model.ts'
import type { CreateBody, PatchBody, ReplaceBody } from '../../model/types/body-types.ts'
import type { Filter } from '../../model/types/query-types.ts'
import type { Place } from '../../model/types/record-type.ts'
import type { ResourceKey } from '../../model/types/resource-keys.ts'
import type { Plan } from '../../planning/public/plan.ts'
import type { CollectionId, Whole } from './read-options.ts'
import type {
  ByKey,
  DryRun,
  DryRunOf,
  MatchOptions,
  UpsertedRecord,
  WriteOptions,
  WrittenCount,
  WrittenRows,
} from './write-options.ts'

/** A body that names its record. */
interface WithId<M extends Model, K extends ResourceKey<M>, P extends Place> {
  readonly id: CollectionId<M, K, P>
}

/** The methods of a collection that write many records: all of them, or none. */
export interface BulkMethods<M extends Model, K extends ResourceKey<M>, P extends Place> {
  /**
   * Stores new records, all or none. They are planned together: they may take unique values from each other. A
   * rejection has the index of each body in its pointers: `/3/title`.
   *
   * @example
   * const { rows } = await store.publisher.createMany([{ name: 'Ink' }, { name: 'Nib' }])
   */
  createMany(bodies: readonly CreateBody<M, K, P>[], options: ReturnsEffects): Promise<Effects>
  createMany(
    bodies: readonly CreateBody<M, K, P>[],
    options: DryRun,
  ): Promise<WrittenRows<Whole<M, K, P>> & { plan: Plan }>
  createMany(bodies: readonly CreateBody<M, K, P>[], options?: WriteOptions): Promise<WrittenRows<Whole<M, K, P>>>

  /** Makes records what their bodies say, all or none. Each body has the id of its record. */
  replaceMany(bodies: readonly (ReplaceBody<M, K, P> & WithId<M, K, P>)[], options: ReturnsEffects): Promise<Effects>
  replaceMany(
    bodies: readonly (ReplaceBody<M, K, P> & WithId<M, K, P>)[],
    options: DryRun,
  ): Promise<WrittenRows<Whole<M, K, P>> & { plan: Plan }>
  replaceMany(
    bodies: readonly (ReplaceBody<M, K, P> & WithId<M, K, P>)[],
    options?: WriteOptions,
  ): Promise<WrittenRows<Whole<M, K, P>>>

  /** Changes what is in the bodies, all or nothing. Each body has the id of its record. */
  patchMany(bodies: readonly (PatchBody<M, K, P> & WithId<M, K, P>)[], options: ReturnsEffects): Promise<Effects>
  patchMany(
    bodies: readonly (PatchBody<M, K, P> & WithId<M, K, P>)[],
    options: DryRun,
  ): Promise<WrittenRows<Whole<M, K, P>> & { plan: Plan }>
  patchMany(
    bodies: readonly (PatchBody<M, K, P> & WithId<M, K, P>)[],
    options?: WriteOptions,
  ): Promise<WrittenRows<Whole<M, K, P>>>

  /**
   * Makes the record that has the body's values of a unique key what the body says, or creates it where there is none.
   * Rejects with `CRUD_ERR_INVALID` where one of the values is missing or null, with `CRUD_ERR_NOT_UNIQUE` where a
   * record has them that the caller may not see, or that another owner has.
   *
   * @example
   * const { record, isNew } = await store.publisher.upsert({ name: 'Ink' }, { by: ['name'] })
   */
  upsert(body: CreateBody<M, K, P>, options: ByKey & ReturnsEffects): Promise<Effects>
  upsert(body: CreateBody<M, K, P>, options: ByKey & DryRun): Promise<DryRunOf<Whole<M, K, P>> & { isNew: boolean }>
  upsert(body: CreateBody<M, K, P>, options: ByKey & WriteOptions): Promise<UpsertedRecord<Whole<M, K, P>>>

  /** The same for many records, all or none. */
  upsertMany(bodies: readonly CreateBody<M, K, P>[], options: ByKey & ReturnsEffects): Promise<Effects>
  upsertMany(
    bodies: readonly CreateBody<M, K, P>[],
    options: ByKey & DryRun,
  ): Promise<WrittenRows<Whole<M, K, P>> & { plan: Plan }>
  upsertMany(
    bodies: readonly CreateBody<M, K, P>[],
    options: ByKey & WriteOptions,
  ): Promise<WrittenRows<Whole<M, K, P>>>

  /**
   * Changes all records that match a filter, or none if the write would affect more records than it may. Resolves to
   * how many matched.
   *
   * @example
   * await store.book.patchMatching({ filter: { title: 'Plans' }, maxAffected: 10 }, { title: 'Plan' })
   */
  patchMatching(
    matching: MatchOptions<Filter<M, K>>,
    body: PatchBody<M, K, P>,
    options: ReturnsEffects,
  ): Promise<Effects>
  patchMatching(
    matching: MatchOptions<Filter<M, K>>,
    body: PatchBody<M, K, P>,
    options: DryRun,
  ): Promise<WrittenCount & { plan: Plan }>
  patchMatching(
    matching: MatchOptions<Filter<M, K>>,
    body: PatchBody<M, K, P>,
    options?: WriteOptions,
  ): Promise<WrittenCount>

  /** Deletes all records that match a filter, or none. */
  deleteMatching(matching: MatchOptions<Filter<M, K>>, options: ReturnsEffects): Promise<Effects>
  deleteMatching(matching: MatchOptions<Filter<M, K>>, options: DryRun): Promise<WrittenCount & { plan: Plan }>
  deleteMatching(matching: MatchOptions<Filter<M, K>>, options?: WriteOptions): Promise<WrittenCount>
}
