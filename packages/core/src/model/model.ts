import type { Descriptors } from './descriptors/descriptors.ts'
import type { Stored } from './descriptors/stored.ts'
import type { TenantDeclaration } from './descriptors/tenant.ts'
import type { IdKind } from './ids/id-kind.ts'
import type { DescribedValue } from './values/field-problems.ts'

export interface Field extends DescribedValue {
  readonly kind: 'field'
  readonly column: string
  /** Must be in a body that creates a record: neither optional nor with a default, and not read-only. */
  readonly required: boolean
  /** What POST and PUT take when the field is missing; `undefined` where nothing is declared, or the database has
   * it. */
  readonly default: unknown
  /** How the column spells the values; undefined: as `createTables` has it. */
  readonly stored: Stored | undefined
  /** The name that the column had before; undefined: it had no other. */
  readonly was: string | undefined
  /** Its default is `dbDefault`: an INSERT leaves its column out where the row has no value for it. A PUT without it
   * leaves it as it is. */
  readonly hasDbDefault: boolean
  /** The only values that it has besides null, where its schema lists them. */
  readonly constants: readonly unknown[] | undefined
  /** A rule of the application gives new rows its value, so it is read-only. */
  readonly setByRule: boolean
  /** Its values are the numbers that keep the order of an owner's array: only the service sets them. */
  readonly keepsOrder: boolean
  /** Its index in `members`. */
  readonly position: number
}

/** A property that the database computes whenever it is read. No column has it, and no body sets it. */
export interface Computed extends DescribedValue {
  readonly kind: 'computed'
  readonly source: Resource
  readonly value: ComputedValue
}

export type ComputedValue =
  /** Over the records at the other end of a relation. */
  | {
      readonly kind: 'count'
      readonly relation: Relation
      /** Leaves out records that the caller may not see. */
      readonly isVisible: boolean
    }
  | {
      readonly kind: 'sum' | 'min' | 'max'
      readonly relation: Relation
      readonly field: Field
      readonly isVisible: boolean
    }
  /** Calls the function of the descriptor, which returns an expression over the resource's table. */
  | { readonly kind: 'expression'; readonly build: (on: object) => unknown }

/** `owns.one` and `owns.many`: records of `source` own records of `target`, which hold the foreign key (`inverse`). */
export interface Owns {
  readonly kind: 'owns'
  readonly name: string
  readonly source: Resource
  readonly target: Resource
  readonly many: boolean
  readonly required: boolean
  readonly inverse: OwnerReference
  /** The number of each owned record, by which the array is ordered; undefined: by the ids. */
  readonly order: Field | undefined
  /** Whether a record shows what it owns by default. */
  readonly carried: boolean
  /** The path segment below an owner: the target's route, or the relation's name where one owner owns the target
   * twice. */
  readonly segment: string
  /** Its index in the source's `owns`. */
  readonly position: number
}

/** The foreign key of an owned record. */
export interface OwnerReference {
  readonly kind: 'ownedBy'
  readonly name: string
  readonly source: Resource
  readonly target: Resource
  readonly foreignKey: string
  /** The property of a record that has its value: the foreign key. Only records that are reached without naming their
   * owners show it. */
  readonly property: string
  readonly column: string
  /** Whether it may be null: the record is a root, or another relation owns it. */
  readonly nullable: boolean
  /** Whether the database has a foreign key for it. */
  readonly isConstrained: boolean
  readonly inverse: Owns
  /** Its index among the values of a row, behind the members, if a body may set it; undefined: a record stays with its
   * owner. */
  readonly position: number | undefined
}

/** The foreign key of a record that moves to another owner when a body sets it. */
export interface MovingReference extends OwnerReference {
  readonly position: number
}

/** `needs.one` and `knows.one`: a foreign key that shows in the record. */
export interface Reference {
  readonly kind: 'reference'
  readonly name: string
  readonly source: Resource
  readonly target: Resource
  /** If true, the target cannot be deleted while a record names it. If false, deleting it sets the foreign key to
   * null. */
  readonly needs: boolean
  /** Whether the foreign key may be null: in `knows.one`, and in `needs.one` with `optional`. */
  readonly nullable: boolean
  readonly foreignKey: string
  /** The property of a record that has its value: the foreign key. */
  readonly property: string
  readonly column: string
  /** Whether a record shows the nested record by default. It always shows the foreign key. */
  readonly carried: boolean
  /** Whether the database has a foreign key for it. If not, the service locks what is named. */
  readonly isConstrained: boolean
  /** A rule of the application gives the foreign key, so it is read-only. */
  readonly setByRule: boolean
  /** All rows that a request reaches have the same value there, so it is read-only, and no plan sets it. */
  readonly isFixed: boolean
  /** Its index in the source's `members`. */
  readonly position: number
}

/** `needs.many` and `knows.many`: a link table. */
export interface Link {
  readonly kind: 'link'
  readonly name: string
  readonly source: Resource
  readonly target: Resource
  readonly needs: boolean
  readonly table: string
  /** Holds the id of the record that declares the link: of the source. */
  readonly fromColumn: string
  /** Holds the id of the target. */
  readonly toColumn: string
  /** Whether the database has foreign keys for it. If not, the service locks what is named. */
  readonly isConstrained: boolean
  /** Whether a target serves at most one record: `neededBy.one` faces the link. */
  readonly exclusive: boolean
  /** The column of the link's number, by which the array is ordered; undefined: by the ids. */
  readonly order: string | undefined
  /** Undefined where the links belong to no tenant. */
  readonly tenant?: TenantColumn
  /** Whether a record shows the targets by default. */
  readonly carried: boolean
  /** Its index in the source's `links`. */
  readonly position: number
}

/** `neededBy.one` and `neededBy.many`: the other end of a reference or link. It adds nothing to a record. */
export interface NeededBy {
  readonly kind: 'neededBy'
  readonly name: string
  readonly source: Resource
  readonly target: Resource
  readonly many: boolean
  /** The relation of the target that names the source. */
  readonly inverse: Reference | Link
}

/** Any relation, from the resource that declares it (`source`) to the other one (`target`). */
export type Relation = Owns | OwnerReference | Reference | Link | NeededBy

/** An array of a record that keeps its order. */
export type OrderedArray = Owns | Link

/** Whether a record may have several records at the other end. */
export function isToMany(relation: Relation): boolean {
  switch (relation.kind) {
    case 'owns':
    case 'neededBy':
      return relation.many
    case 'link':
      return true
    case 'ownedBy':
    case 'reference':
      return false
  }
}

export type ForeignKey = OwnerReference | Reference

/** Whether a value of a record is the id of another one. */
export function isForeignKey(value: SingleValue): value is ForeignKey {
  return value.kind === 'reference' || value.kind === 'ownedBy'
}

/** What a body can set in a record's own row. */
export type Member = Field | Reference

/** What a write can change in a stored row. */
export type RowMember = Member | MovingReference

/** Whether writes change it in a stored row. */
export function isRowMember(member: Field | ForeignKey): member is RowMember {
  return member.position !== undefined
}

/** A single value of a record, besides its id. */
export type SingleValue = Member | Computed | OwnerReference

/** What a property of a body or record can be. */
export type Property = Field | Owns | Reference | Link | Computed | MovingReference

/** A unique key over columns of one table. */
export interface UniqueKey {
  /** The names in the descriptor: of fields and relations. */
  readonly names: readonly string[]
  readonly members: readonly (Field | ForeignKey)[]
  /** The key holds for the rows that fulfil all of these conditions; empty: for all rows. */
  readonly where: readonly KeyCondition[]
  /** Which values a row holds of the key depends on these: its members, and those of the conditions. */
  readonly dependsOn: readonly (Field | ForeignKey)[]
}

/** A condition for one column. */
export interface KeyCondition {
  readonly member: Field | ForeignKey
  readonly is: ColumnCondition
}

/** What a column is to be: null, not null, or equal to a constant. */
export type ColumnCondition = 'null' | 'not null' | { readonly value: Constant }

/** The column of a table that says which of its rows are a resource's: those with the value. */
export interface Discriminator {
  readonly column: string
  readonly value: Constant
}

/** A constant of a descriptor that stands in SQL. */
export type Constant = string | number | boolean

/** An index over columns of one table, for filters and sorts. */
export interface Index {
  /** The names in the descriptor: of fields and relations. */
  readonly names: readonly string[]
  readonly members: readonly (Field | ForeignKey)[]
}

/** What `search` of a list looks at. */
export interface Search {
  readonly fields: readonly SearchField[]
  /** The fields of the record itself that have an index for it. */
  readonly indexed: readonly Field[]
}

/** A text, at the end of a path. */
export interface SearchField {
  readonly relations: readonly Relation[]
  readonly value: Field | Computed
}

export interface History {
  /** How long each write is kept at least, in milliseconds; undefined: for good. */
  readonly within: number | undefined
}

/** What callers may do with deleted records besides to see them and to bring them back. */
export interface Trash {
  /** To remove them for good. */
  readonly purges: boolean
}

/** Whose rows those of a table are. */
export interface TenantColumn {
  /** The resource whose records are the tenants. */
  readonly of: Resource
  /** The column that has the tenant's id. */
  readonly column: string
  /** The rows are the tenants themselves, so the column is their own id. */
  readonly isOwnId: boolean
}

export interface Resource {
  readonly key: string
  readonly route: string
  readonly table: string
  /** Which rows of the table are the resource's; undefined: all. */
  readonly where: Discriminator | undefined
  /** Whether its records have ids. Without, they can be listed, and nothing can name one: `id` and the like mean
   * nothing. */
  readonly hasId: boolean
  /** The kind of its records' ids. */
  readonly id: IdKind
  /** The columns of the primary key, in the order of the id's parts. */
  readonly idColumns: readonly [string, ...string[]]
  /** What makes up the ids: the members of the primary key; empty where the ids have a column of their own. */
  readonly idMembers: readonly (Field | ForeignKey)[]
  /** The ids in bodies, answers and paths below the owner: without the part that is the owner's id, unless that is
   * all. */
  readonly shortId: IdKind
  /**
   * The column of the moment at which a record was deleted, null in the others; undefined: a DELETE removes its row. It
   * is none of the `fields`, and has no position.
   */
  readonly softDelete?: Field
  /** What callers may do with deleted records; undefined: nothing. */
  readonly trash: Trash | undefined
  /** What is kept of the writes of its records; undefined: nothing, or their owners' resource says it. */
  readonly history: History | undefined
  /** Undefined in a model without tenants, and for a resource that all tenants share. */
  readonly tenant?: TenantColumn
  /** All tenants share its records, and each may see all of them. */
  readonly isPublic: boolean
  readonly description: string | undefined
  /** Whether requests add, change and remove its records. */
  readonly isWritable: boolean
  /** `'owner'`: whoever is asked about access to its records is asked about their owners instead. */
  readonly authorizedBy: 'owner' | undefined
  /** `'required'`: requests that change or remove a record say which state of it they mean. */
  readonly ifMatch: 'required' | undefined
  readonly fields: readonly Field[]
  readonly owns: readonly Owns[]
  readonly ownedBy: readonly OwnerReference[]
  /** Those of `ownedBy` that a body may set: the record moves to another owner. */
  readonly movedBy: readonly MovingReference[]
  readonly references: readonly Reference[]
  readonly links: readonly Link[]
  readonly neededBy: readonly NeededBy[]
  readonly computed: readonly Computed[]
  /** The fields, then the references, then the numbers that keep the order of owners' arrays and are no fields. */
  readonly members: readonly Member[]
  /** Fields, then relations, then computed fields, in the descriptor's order. A record shows them in this order. */
  readonly properties: readonly Property[]
  /** What each name in a body means. `id` is not among them. */
  readonly names: ReadonlyMap<string, BodyName>
  readonly uniques: readonly UniqueKey[]
  /** The indexes that the descriptor declares. Those of unique keys and foreign keys are not among them. */
  readonly indexes: readonly Index[]
  /** Undefined: there is no search. */
  readonly search: Search | undefined
  /** The references whose target is this resource, but for those in records that nobody writes: these keep no other
   * record from going. */
  readonly referencedBy: readonly Reference[]
  /** The links whose target is this resource. */
  readonly linkedBy: readonly Link[]
  /** The `owns` relations of this resource to itself, by which its records form trees. */
  readonly recursive: readonly Owns[]
  /** Whether a record can be without an owner, and so has a route at the top. */
  readonly isRoot: boolean
  /** Whether its records, which have owners, can also be reached without naming these. */
  readonly isTopLevel: boolean
  /** Whether clients can group its records. */
  readonly hasGroups: boolean
  /** Whether its records, or records that they own, own records of their own kind: to any depth, so no query can nest
   * them. */
  readonly holdsTrees: boolean
  /** Whether its records, and all that they own, carry all of their relations by default. */
  readonly carriesAll: boolean
  /** Whether its records, or records that they own, have ids that are shorter below their owner. */
  readonly holdsShortIds: boolean
  /** Whether the library assigns the ids of its records, or of records that they own. */
  readonly assignsIds: boolean
  /** Whether a write may conflict with other records: clients give their ids, it has a unique key, a reference or a
   * link, or is the target of one. */
  readonly concernsOthers: boolean
  /**
   * A foreign key that cannot be null names a row of lower rank. So rows are inserted in ascending order of rank, and
   * deleted in descending order.
   */
  readonly rank: number
}

export type BodyName =
  | { readonly is: 'field'; readonly field: Field }
  | { readonly is: 'foreignKey'; readonly reference: Reference }
  /** The owner, which such a body may change. */
  | { readonly is: 'owner'; readonly by: MovingReference }
  /** The nested record of a reference: read-only in a body. */
  | { readonly is: 'nested'; readonly reference: Reference }
  | { readonly is: 'owns'; readonly owns: Owns }
  | { readonly is: 'link'; readonly link: Link }
  /** Read-only in a body. */
  | { readonly is: 'computed'; readonly computed: Computed }

/**
 * A checked, frozen model: what `defineResources` returns and everything else takes.
 *
 * The type parameter carries the descriptors, from which the types of records and bodies are inferred.
 */
export interface Model<
  D extends Descriptors = Descriptors,
  T extends TenantDeclaration | undefined = TenantDeclaration | undefined,
> {
  readonly descriptors: D
  /** Undefined where the records belong to no tenants. */
  readonly tenant: T
  readonly resources: ReadonlyMap<string, Resource>
}

/** Throws a TypeError for anything that `defineResources` did not return, such as plain descriptors. */
export function checkModel(model: Model): void {
  if ((model as Partial<Model> | undefined)?.resources instanceof Map) return
  throw new TypeError('resources: must be what defineResources returned')
}

/** The resource with that key; throws a TypeError if the model has none. */
export function resourceOf(model: Model, key: string): Resource {
  const resource = model.resources.get(key)
  if (resource === undefined) throw new TypeError(`the model has no resource '${key}'`)
  return resource
}
