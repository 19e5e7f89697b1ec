import type { IdDeclaration } from '../ids/declared-id.ts'
import type { FieldSchema } from '../values/schema-facts.ts'
import type { ComputedDeclaration } from './computed.ts'
import type { RelationDeclaration } from './relations.ts'
import type { SearchDeclaration } from './search.ts'

/** What an app author writes for one resource. */
export interface ResourceDescriptor<Keys extends string = string> {
  /** The path segment. Default: the resource's key. */
  readonly route?: string
  /** The table. Default: the resource's key. */
  readonly table?: AnyName
  /**
   * A column of the table with the constant that it has in the rows of this resource: `{ type: 'Admin' }`. The other
   * rows belong to other resources, or to none. The column is no field.
   */
  readonly where?: Readonly<Record<string, string | number | boolean>>
  /**
   * The kind of its records' ids, and who assigns them: `'integer'` (default), `'bigint'`, `'uuid'`, `'text'`, or an
   * object with options. Foreign keys and link columns have the kind of their target.
   *
   * `false`: nothing tells one record from another. Then requests only list them, and `writable` is false.
   */
  readonly id?: IdDeclaration | false
  /**
   * `false`: requests only read the records, of a view or of a table that others write. Their write routes answer 405,
   * and `createTables` does not create it.
   */
  readonly writable?: false
  /** The columns of fields, foreign keys and `id`. Default: the property's name. */
  readonly columns?: Readonly<Record<string, AnyName>>
  /** One sentence for the API reference that says what a record is. */
  readonly description?: string
  /**
   * The plain fields. Each is a JSON Schema, made by TypeBox or written by hand. A field is required and not null,
   * unless it is `Type.Optional(…)` (may be left out, may be null), has a `default` (may be left out), or a schema that
   * allows null.
   */
  readonly fields?: Readonly<Record<string, FieldSchema>>
  readonly relations?: Readonly<Record<string, RelationDeclaration<Keys>>>
  /**
   * Read-only properties that the database computes whenever a record is read: `sumOf('lines', 'amount')`,
   * `countOf('lines')`, or a schema with an expression of Kysely's.
   */
  readonly computed?: Readonly<Record<string, ComputedDeclaration>>
  /**
   * Unique keys: each a list of fields, or of relations, which mean their foreign keys; or an object with this list as
   * `fields` and a condition (`where`) for the rows for which the key holds.
   */
  readonly unique?: readonly (readonly AnyName[] | UniqueKeyDeclaration)[]
  /**
   * Indexes for filters and sorts: each a list of fields, or of relations, which mean their foreign keys. `index: true`
   * in a field's schema is an index over this field alone.
   */
  readonly index?: readonly (readonly string[])[]
  /**
   * `search=lamp index` in lists: each word must occur in one of these texts, whatever the case of its letters. Without
   * it, there is no such parameter.
   */
  readonly search?: SearchDeclaration
  /**
   * The relations that a record carries if a request asks for nothing else, of those by which it owns, needs or knows
   * records. Default: all of these. A foreign key is always there. A PUT that leaves out one of the others leaves it as
   * it is.
   */
  readonly defaultInclude?: readonly AnyName[]
  /**
   * For a resource with an owner: `authorize` is asked about the owner instead. `View` asks the owner's `View`, and
   * everything else the owner's `Edit`.
   */
  readonly authorizedBy?: 'owner'
  /**
   * `'required'`: over HTTP, PUT, PATCH and DELETE of a record need `If-Match`, with the record's ETag. It holds for
   * the record that the path names, not for what is written with it.
   */
  readonly ifMatch?: 'required'
  /**
   * `true`: the records of a resource with an owner have a route of their own at the top, too, `/line` beside
   * `/order/:order_id/line`. There, records have the foreign keys of their owners and whole ids.
   */
  readonly topLevel?: true
  /** `true`: the records can be grouped and counted by their values over HTTP, at `/invoice/$group`. A store can always
   * do that. */
  readonly groups?: true
  /**
   * `'deletedAt'`: DELETE does not remove a record, and what it owns, but notes the moment in this column. From then
   * on, nobody sees the record. A store can bring it back (`restore`) or remove it for good (`purge`). The column is no
   * field. What a record owns says the same. With `{ column: 'deletedAt', trash: true }`, callers see deleted records
   * in the trash, and bring them back.
   */
  readonly softDelete?: AnyName | SoftDeleteDeclaration
  /**
   * `true`: what writes do to the records, and to what they own, is kept: who changed what and when, and a way back. An
   * owned resource has no history of its own: its owner's has it. With `{ within: '90 days' }`, `pruneHistory` removes
   * what is older.
   */
  readonly history?: true | HistoryDeclaration
  /** `false`: in a model with tenants, all of them share the records. Only the application itself writes them. */
  readonly tenant?: false
  /** With `tenant: false`: every tenant may see all records. Without it, the resource needs a policy. */
  readonly public?: true
}

/**
 * How long a history is kept.
 *
 * @example
 * const history: HistoryDeclaration = { within: '90 days' }
 */
export interface HistoryDeclaration {
  /** A number of hours, days or weeks, such as `'90 days'`. What is older may be removed. */
  readonly within: string
}

/**
 * Deleted records that callers see in a trash of their own.
 *
 * @example
 * const softDelete: SoftDeleteDeclaration = { column: 'deletedAt', trash: { purge: true } }
 */
export interface SoftDeleteDeclaration {
  /** The column of the moment at which a record was deleted. */
  readonly column: AnyName
  /**
   * `true`: over HTTP, `/invoice/$deleted` lists deleted records and `/invoice/7/$restore` brings one back. `{ purge:
   * true }`: callers may also remove one for good, by DELETE of `/invoice/$deleted/7`. Default: no request does any of
   * it.
   */
  readonly trash?: true | { readonly purge?: boolean }
}

/**
 * A unique key for some rows only: a partial unique index.
 *
 * @example
 * const key: UniqueKeyDeclaration = { fields: ['email'], where: { deletedAt: null } }
 */
export interface UniqueKeyDeclaration {
  /** Fields, or relations, which mean their foreign keys. */
  readonly fields: readonly AnyName[]
  /**
   * What the rows are, by the names of fields and relations: equal to a constant, `null`, or `{ null: false }` for not
   * null. All of it must hold. Relations are null or not.
   */
  readonly where?: Readonly<Record<string, KeyConditionDeclaration>>
}

export type KeyConditionDeclaration = string | number | boolean | null | { readonly null: false }

/**
 * Any string. With plain `string`, TypeScript would forget the names in a descriptor that
 * `satisfies ResourceDescriptor`, and types of records and of Kysely's tables have them. It keeps literals where a
 * pattern is expected.
 */
type AnyName = (string & {}) | `${number}`

export type Descriptors<Keys extends string = string> = Readonly<Record<string, ResourceDescriptor<Keys>>>
