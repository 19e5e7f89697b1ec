import type { Selectable } from 'kysely'
import type { DatabaseName } from '../database-name.ts'
import type { Descriptors, ResourceDescriptor } from '../descriptors/descriptors.ts'
import type { Fields } from '../descriptors/json-schema.ts'
import type { Model } from '../model.ts'
import type { ColumnOf } from './column-of.ts'
import type { IsLimited, IsSet } from './field-types.ts'
import type { FieldsOf, RelationsOf } from './resource-keys.ts'
import type { ColumnName, IdColumns, KeyColumns } from './tables-of.ts'

/**
 * A row of a resource's table as a caller may see it, with the values of either database: without the columns of write-only fields, and with
 * null where only some callers see the field.
 */
export type VisibleRow<M extends Model, K extends keyof M['descriptors']> = string extends keyof M['descriptors']
  ? Record<string, unknown>
  : RowIn<M['descriptors'], M['descriptors'][K]>

type RowIn<D extends Descriptors, R extends ResourceDescriptor> = Selectable<
  IdColumns<R, D, DatabaseName> & FieldColumns<R, FieldsOf<R>> & KeyColumns<R, D, RelationsOf<R>, DatabaseName>
>

type FieldColumns<R extends ResourceDescriptor, F extends Fields> = {
  -readonly [N in keyof F as IsSet<F[N], 'writeOnly'> extends true ? never : ColumnName<R, N>]:
    | ColumnOf<F[N], DatabaseName>
    | (IsLimited<F[N], 'View'> extends true ? null : never)
}
