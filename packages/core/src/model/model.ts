import type { Descriptors } from './descriptors.ts'
import type { IdKind } from './ids.ts'
import type { JsonSchema } from './json-schema.ts'

/** How a value is stored; each kind has one codec per database. */
export type StorageKind = 'string' | 'date' | 'integer' | 'number' | 'boolean' | 'json'

export interface Field {
  readonly kind: 'field'
  readonly name: string
  readonly column: string
  readonly schema: JsonSchema
  readonly storage: StorageKind
  /** May be null. */
  readonly nullable: boolean
  /** Must be in the body of POST and PUT: neither optional nor with a default. */
  readonly required: boolean
  /** What POST and PUT take when the field is missing; `undefined` where nothing is declared. */
  readonly default: unknown
  /** Its index in `members`. */
  readonly position: number
  /** What is wrong with a value that is not null; empty if nothing is. */
  check(value: unknown): readonly ValueProblem[]
}

/** What is wrong with a value, and where in it: a JSON pointer, `''` for the value itself. */
export interface ValueProblem {
  readonly at: string
  readonly message: string
}

/** This resource's records own `target`'s; the foreign key is `inverse`. */
export interface Owns {
  readonly kind: 'owns'
  readonly name: string
  readonly source: Resource
  readonly target: Resource
  readonly many: boolean
  readonly required: boolean
  readonly inverse: OwnedBy
  /** The path segment below an owner: the target's route, or the relation's name where one owner owns the target twice. */
  readonly segment: string
  /** Its index in the source's `owns`. */
  readonly position: number
}

/** The foreign key of an owned record. */
export interface OwnedBy {
  readonly kind: 'ownedBy'
  readonly name: string
  readonly source: Resource
  readonly target: Resource
  readonly foreignKey: string
  readonly column: string
  /** Null is possible: the record is a root, or it is owned through another relation. */
  readonly nullable: boolean
  readonly inverse: Owns
}

/** `needs.one` and `knows.one`: a foreign key that shows in the record. */
export interface Reference {
  readonly kind: 'reference'
  readonly name: string
  readonly source: Resource
  readonly target: Resource
  /** The target cannot be deleted while it is named. If not, the foreign key becomes null when the target goes. */
  readonly needs: boolean
  /** The foreign key may be null: it knows the target, or its need is optional. */
  readonly nullable: boolean
  readonly foreignKey: string
  readonly column: string
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
  readonly from: string
  readonly to: string
  /** A target serves at most one record here (`neededBy.one` faces it). */
  readonly exclusive: boolean
  /** Its index in the source's `links`. */
  readonly position: number
}

export type ForeignKey = OwnedBy | Reference

/** What a body may set in a record's own row. */
export type Member = Field | Reference

/** What a property of a body or record can be. */
export type Property = Field | Owns | Reference | Link

/** A unique key over columns of one table. */
export interface UniqueKey {
  /** What the descriptor calls it: the fields' and relations' names. */
  readonly names: readonly string[]
  readonly members: readonly (Field | ForeignKey)[]
}

export interface Resource {
  readonly key: string
  readonly route: string
  readonly table: string
  /** What its records' ids are. */
  readonly id: IdKind
  readonly idColumn: string
  readonly description: string | undefined
  readonly fields: readonly Field[]
  readonly owns: readonly Owns[]
  readonly ownedBy: readonly OwnedBy[]
  readonly references: readonly Reference[]
  readonly links: readonly Link[]
  /** The fields, then the references. */
  readonly members: readonly Member[]
  /** In the order of the descriptor, as a record shows them: fields, then relations. */
  readonly properties: readonly Property[]
  /** Every name that a body may carry besides `id`: a field, a relation, or a foreign key. */
  readonly names: ReadonlyMap<string, BodyName>
  readonly uniques: readonly UniqueKey[]
  /** The foreign keys of other records (or of its own kind) that name records of this resource, owners aside. */
  readonly referencedBy: readonly Reference[]
  /** The link tables whose `to` names records of this resource. */
  readonly linkedBy: readonly Link[]
  /** `owns` relations of this resource to itself: its records are trees. */
  readonly recursive: readonly Owns[]
  /** A record can be without an owner: it is reached by its own route. */
  readonly isRoot: boolean
  /** It has a unique key, or a relation other than to own and to be owned: its records may be in the way of others. */
  readonly concernsOthers: boolean
  /**
   * Rows are inserted in ascending order of rank, and deleted in descending: a foreign key that cannot be null names a row of
   * lower rank.
   */
  readonly rank: number
}

export type BodyName =
  | { readonly is: 'field'; readonly field: Field }
  | { readonly is: 'foreignKey'; readonly reference: Reference }
  /** The nested record of a reference: read-only in a body. */
  | { readonly is: 'nested'; readonly reference: Reference }
  | { readonly is: 'owns'; readonly owns: Owns }
  | { readonly is: 'link'; readonly link: Link }

/** By which name a body sets it. */
export function memberName(member: Member): string {
  return member.kind === 'field' ? member.name : member.foreignKey
}

/**
 * A checked, frozen model: what `defineResources` returns and everything else takes.
 *
 * The type parameter carries the descriptors, from which the types of records and bodies are inferred.
 */
export interface Model<D extends Descriptors = Descriptors> {
  readonly descriptors: D
  readonly resources: ReadonlyMap<string, Resource>
}

/** Throws a TypeError for anything else, such as descriptors that are not checked yet. */
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
