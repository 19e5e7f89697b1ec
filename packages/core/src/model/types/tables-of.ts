import type { Generated, Selectable } from 'kysely'
import type { DatabaseName } from '../database-name.ts'
import type { Descriptors, ResourceDescriptor, SoftDeleteDeclaration } from '../descriptors/descriptors.ts'
import type { KnowsMany, NeedsMany, OwnedBy, RelationDeclaration, Relations } from '../descriptors/relations.ts'
import type { TenantDeclaration } from '../descriptors/tenant.ts'
import type { Model } from '../model.ts'
import type { Fields } from '../values/schema-facts.ts'
import type { ColumnOf } from './column-of.ts'
import type { IdOf, KeyName } from './id-types.ts'
import type { RequiredNeed } from './record-type.ts'
import type { FieldsOf, KeyOf, RelationsOf } from './resource-keys.ts'
import type { Flat, IsLimited, IsSet } from './value-type.ts'

/**
 * The tables of a model, as Kysely takes them: `Kysely<TablesOf<typeof resources, 'sqlite'>>`. Tables and columns have
 * the names that the descriptors give them, and columns the values that the database's driver returns: SQLite stores a
 * boolean as 0 or 1, and JSON as text. Without a database, values are those of either one.
 *
 * Names must be known at compile time: a table or column whose name is any `string` is left out.
 *
 * @example
 * type Tables = TablesOf<typeof resources, 'sqlite'>
 */
export type TablesOf<M extends Model, Database extends DatabaseName = DatabaseName> = TablesOfDescriptors<
  M['descriptors'],
  M['tenant'],
  Database
>

type TablesOfDescriptors<
  D extends Descriptors,
  T extends TenantDeclaration | undefined,
  Database extends DatabaseName,
> = string extends keyof D
  ? Record<string, Record<string, unknown>>
  : Flat<ResourceTables<D, T, Database> & LinkTables<D, TenantColumns<D, T, Database>, Database>>

/** Resources that share a table give a union here. */
type ResourceTables<
  D extends Descriptors,
  T extends TenantDeclaration | undefined,
  Database extends DatabaseName,
> = SharedTables<{
  -readonly [K in keyof D as TableName<D[K], K>]: Flat<
    ResourceTable<D[K], D, FieldsOf<D[K]>, RelationsOf<D[K]>, Database> & OfTenant<D, T, K, Database>
  >
}>

type SharedTables<Tables> = {
  [T in keyof Tables]: IsUnion<Tables[T]> extends true ? SharedTable<Tables[T]> : Tables[T]
}

/** All columns. What only some of the resources have may be null. */
type SharedTable<All> = { [C in ColumnIn<All>]: ValueIn<All, C> }

type ColumnIn<All> = All extends unknown ? keyof All : never

type ValueIn<All, C> = All extends unknown ? (C extends keyof All ? All[C] : null) : never

type Nothing = Record<never, never>

/** The column of the tenant, in the table of a resource that is a tenant's own. */
type OfTenant<
  D extends Descriptors,
  T extends TenantDeclaration | undefined,
  K extends keyof D,
  Database extends DatabaseName,
> = D[K] extends { readonly tenant: false }
  ? Nothing
  : T extends { readonly resource: K }
    ? Nothing
    : TenantColumns<D, T, Database>

type TenantColumns<
  D extends Descriptors,
  T extends TenantDeclaration | undefined,
  Database extends DatabaseName,
> = T extends { readonly resource: infer Key extends keyof D & string }
  ? {
      [C in T extends { readonly column: infer Column extends string } ? Column : `${Key}Id`]: StoredId<
        D,
        D[Key],
        Database
      >
    }
  : Nothing

type ResourceTable<
  R extends ResourceDescriptor,
  D extends Descriptors,
  F extends Fields,
  S extends Relations,
  Database extends DatabaseName,
> = Flat<
  IdColumns<R, D, Database> & {
    -readonly [N in keyof F as ColumnName<R, N>]: ColumnOf<F[N], Database>
  } & KeyColumns<R, D, S, Database> &
    SoftDeleteColumn<R> &
    DiscriminatorColumn<R, Database>
>

/** The column of the id, if ids have one of their own. */
export type IdColumns<R extends ResourceDescriptor, D extends Descriptors, Database extends DatabaseName> = {
  [N in 'id' as HasIdColumn<R> extends true ? ColumnName<R, N> : never]: IdColumn<D, R, Database>
}

/** The columns of the foreign keys. */
export type KeyColumns<
  R extends ResourceDescriptor,
  D extends Descriptors,
  S extends Relations,
  Database extends DatabaseName,
> = {
  -readonly [N in keyof S as ColumnName<R, KeyName<N, S[N]>>]:
    | StoredId<D, D[S[N]['target']], Database>
    | (S[N] extends RequiredKey<S> ? never : null)
}

/** The moment at which a record was deleted, in the rows that are kept. */
type SoftDeleteColumn<R extends ResourceDescriptor> = R extends {
  readonly softDelete: infer Declared extends string | SoftDeleteDeclaration
}
  ? { [N in SoftDeleteName<Declared> as ColumnName<R, N>]: string | null }
  : unknown

type SoftDeleteName<Declared> = Declared extends { readonly column: infer Name } ? Name & string : Declared & string

type DiscriminatorColumn<R extends ResourceDescriptor, Database extends DatabaseName> = R extends {
  readonly where: infer W
}
  ? { -readonly [C in keyof W]: W[C] extends boolean ? { sqlite: number; postgres: boolean }[Database] : W[C] }
  : unknown

/** An id as it is stored. A driver of SQLite returns a `bigint` id as a number, and takes a string of digits, too. */
type StoredId<D extends Descriptors, R extends ResourceDescriptor, Database extends DatabaseName> = R extends {
  readonly id: 'bigint' | { readonly kind: 'bigint' }
}
  ? { sqlite: number | bigint | string; postgres: string }[Database]
  : IdOf<D, R>

/** Not if members make up the ids, or nothing does. */
type HasIdColumn<R extends ResourceDescriptor> = R extends { readonly id: readonly string[] | false } ? false : true

/** The id column. An INSERT may leave it out where the database assigns ids. */
type IdColumn<D extends Descriptors, R extends ResourceDescriptor, Database extends DatabaseName> =
  IsAssignedByDatabase<R> extends true ? Generated<StoredId<D, R, Database>> : StoredId<D, R, Database>

type IsAssignedByDatabase<R extends ResourceDescriptor> = R extends { readonly id: infer Declared }
  ? Declared extends { readonly assign: infer By }
    ? By extends 'database'
      ? true
      : false
    : Declared extends 'integer' | 'bigint' | { readonly kind: 'integer' | 'bigint' }
      ? true
      : false
  : true

/** The name of a resource's table. */
export type TableNameOf<M extends Model, K extends keyof M['descriptors']> = TableName<M['descriptors'][K], K>

type TableName<R extends ResourceDescriptor, K> = R extends { readonly table: infer Name } ? Known<Name> : K

/** The column of a property. */
export type ColumnName<R extends ResourceDescriptor, Name> = R extends { readonly columns: infer Columns }
  ? Name extends keyof Columns
    ? Known<Columns[Name]>
    : Name
  : Name

/** A name that the compiler knows; `never` for any string. */
type Known<Name> = string extends Name ? never : Name & string

/** The relations of a resource whose foreign key may not be null. A resource with several owners has one of them in
 * each row. */
type RequiredKey<S extends Relations> =
  | RequiredNeed
  | (HasSeveralOwners<S> extends true ? never : OwnedBy<string, false>)

type HasSeveralOwners<S extends Relations> = IsUnion<
  keyof { [N in keyof S as S[N] extends OwnedBy ? N : never]: never }
>

type IsUnion<T, Each = T> = Each extends T ? ([T] extends [Each] ? false : true) : false

type Either<Chosen extends string, Default extends string> = [Chosen] extends [never] ? Default : Known<Chosen>

type LinkTables<D extends Descriptors, OfTenants, Database extends DatabaseName> = {
  [L in Links<D> as L['table']]: Flat<
    { [C in L['from']]: StoredId<D, D[L['source']], Database> } & {
      [C in L['to']]: StoredId<D, D[L['target']], Database>
    } & OfTenants
  >
}

interface LinkTable {
  readonly source: string
  readonly target: string
  readonly table: string
  readonly from: string
  readonly to: string
}

/** The link tables of all resources, as a union. */
type Links<D extends Descriptors> = { [K in KeyOf<D>]: LinksOf<K, RelationsOf<D[K]>> }[KeyOf<D>]

type LinksOf<K extends string, S extends Relations> = { [N in keyof S]: LinkOf<K, N & string, S[N]> }[keyof S]

type LinkOf<K extends string, N extends string, R extends RelationDeclaration> = R extends
  | NeedsMany<infer Target, infer Through, infer From, infer To>
  | KnowsMany<infer Target, infer Through, infer From, infer To>
  ? LinkNames<K, Target, Either<Through, `${K}_${N}`>, Either<From, `${K}Id`>, To, `${Target}Id`, `${N}Id`>
  : never

interface LinkNames<
  Source extends string,
  Target extends string,
  Table extends string,
  From extends string,
  To extends string,
  ByTarget extends string,
  ByRelation extends string,
> extends LinkTable {
  readonly source: Source
  readonly target: Target
  readonly table: Table
  readonly from: From
  readonly to: Either<To, ByTarget extends From ? ByRelation : ByTarget>
}

/**
 * A row of a resource's table as a caller may see it, with the values of either database: without the columns of
 * write-only fields, and with null where only some callers see the field.
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
