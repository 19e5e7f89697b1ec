export type Relations = Readonly<Record<string, RelationDeclaration>>

export type AnyKind = RelationDeclaration['relation']
export type ManyKind = 'owns.many' | 'needs.many' | 'knows.many' | 'neededBy.many'
export type OneKind = Exclude<AnyKind, ManyKind>

/** The kinds of relations that a record shows; `ownedBy` and `neededBy` add nothing. */
export type ShownRelation = 'owns.one' | 'owns.many' | 'needs.one' | 'needs.many' | 'knows.one' | 'knows.many'

/**
 * The relation builders. Each returns plain, frozen data for a descriptor's `relations`;
 * `defineResources` checks it and turns it into the model.
 *
 * Options that change the types of records and bodies are type parameters. The builders return them under `NoInfer`, so
 * that an option which is left out has its default type. Else TypeScript would infer what `defineResources` accepts.
 */

interface OwnsOneOptions<Required extends boolean = boolean> {
  /** The owned record may not be missing: POST and PUT without it are refused. Default `false`. */
  readonly required?: Required
  /** The name of the `ownedBy` relation on the other side; needed only if there are several. */
  readonly inverse?: string
}

interface OwnsManyOptions<Order extends string = string> {
  /** The name of the `ownedBy` relation on the other side; needed only if there are several. */
  readonly inverse?: string
  /** The integer column of the owned records that keeps the order of the array. Default: the ids order it. */
  readonly order?: Order
}

export interface OwnedByOptions<
  Optional extends boolean = boolean,
  ForeignKey extends string = string,
  Moves extends boolean = boolean,
> {
  /** The foreign key's name. Default `<relation>Id`. */
  readonly foreignKey?: ForeignKey
  /** A record may have no owner and is a root then. Only where a resource owns itself. Default `false`. */
  readonly optional?: Optional
  /**
   * A PATCH or PUT of a record may set the foreign key: the record moves to another owner, with all that it owns.
   * Records show the key. Default `false`: a record stays with its owner.
   */
  readonly moves?: Moves
  /**
   * Whether the database has a foreign key for it. `false`: the service alone keeps related records consistent, and
   * other programs may break that. Default `true`.
   */
  readonly constraint?: boolean
}

interface NeedsOneOptions<ForeignKey extends string = string, Optional extends boolean = boolean> {
  /** The foreign key's name, in bodies and records too. Default `<relation>Id`. */
  readonly foreignKey?: ForeignKey
  /** One to one: a record serves at most one record here. Default `false`. */
  readonly unique?: boolean
  /** The foreign key may be null. The record that it names still cannot be deleted. Default `false`. */
  readonly optional?: Optional
  /**
   * Whether the database has a foreign key for it. `false`: the service alone keeps related records consistent, and
   * other programs may break that. Default `true`.
   */
  readonly constraint?: boolean
}

interface KnowsOneOptions<ForeignKey extends string = string> {
  /** The foreign key's name, in bodies and records too. Default `<relation>Id`. */
  readonly foreignKey?: ForeignKey
  /**
   * Whether the database has a foreign key for it. `false`: the service alone keeps related records consistent, and
   * other programs may break that. Default `true`.
   */
  readonly constraint?: boolean
}

export interface LinkOptions<
  Through extends string = string,
  From extends string = string,
  To extends string = string,
  Order extends string = string,
> {
  /** The link table. Default `<resource key>_<relation>`. */
  readonly through?: Through
  /** The link table's column for this resource's id. Default `<resource key>Id`. */
  readonly from?: From
  /** The link table's column for the target's id. Default `<target key>Id`, or `<relation>Id` if that is the same as
   * `from`. */
  readonly to?: To
  /** The integer column of the link table that keeps the order of the array. Default: the ids order it. */
  readonly order?: Order
  /**
   * Whether the database has a foreign key for it. `false`: the service alone keeps related records consistent, and
   * other programs may break that. Default `true`.
   */
  readonly constraint?: boolean
}

export interface OwnsOne<Target extends string = string, Required extends boolean = boolean> {
  readonly relation: 'owns.one'
  readonly target: Target
  readonly options: OwnsOneOptions<Required>
}
/** `Order` is `never` for an array without one. */
export interface OwnsMany<Target extends string = string, Order extends string = string> {
  readonly relation: 'owns.many'
  readonly target: Target
  readonly options: OwnsManyOptions<Order>
}
/** `ForeignKey` is `never` for the default name. */
export interface OwnedBy<
  Target extends string = string,
  Optional extends boolean = boolean,
  ForeignKey extends string = string,
  Moves extends boolean = boolean,
> {
  readonly relation: 'ownedBy'
  readonly target: Target
  readonly options: OwnedByOptions<Optional, ForeignKey, Moves>
}
/** `ForeignKey` is `never` for the default name. */
export interface NeedsOne<
  Target extends string = string,
  ForeignKey extends string = string,
  Optional extends boolean = boolean,
> {
  readonly relation: 'needs.one'
  readonly target: Target
  readonly options: NeedsOneOptions<ForeignKey, Optional>
}
/** `Through`, `From` and `To` are `never` for the default names, and `Order` for an array without one. */
export interface NeedsMany<
  Target extends string = string,
  Through extends string = string,
  From extends string = string,
  To extends string = string,
  Order extends string = string,
> {
  readonly relation: 'needs.many'
  readonly target: Target
  readonly options: LinkOptions<Through, From, To, Order>
}
export interface NeededByOne<Target extends string = string> {
  readonly relation: 'neededBy.one'
  readonly target: Target
  readonly options: { readonly inverse?: string }
}
export interface NeededByMany<Target extends string = string> {
  readonly relation: 'neededBy.many'
  readonly target: Target
  readonly options: { readonly inverse?: string }
}
/** `ForeignKey` is `never` for the default name. */
export interface KnowsOne<Target extends string = string, ForeignKey extends string = string> {
  readonly relation: 'knows.one'
  readonly target: Target
  readonly options: KnowsOneOptions<ForeignKey>
}
/** `Through`, `From` and `To` are `never` for the default names, and `Order` for an array without one. */
export interface KnowsMany<
  Target extends string = string,
  Through extends string = string,
  From extends string = string,
  To extends string = string,
  Order extends string = string,
> {
  readonly relation: 'knows.many'
  readonly target: Target
  readonly options: LinkOptions<Through, From, To, Order>
}

/** Any relation as a descriptor declares it. */
export type RelationDeclaration<Target extends string = string> =
  | OwnsOne<Target>
  | OwnsMany<Target>
  | OwnedBy<Target>
  | NeedsOne<Target>
  | NeedsMany<Target>
  | NeededByOne<Target>
  | NeededByMany<Target>
  | KnowsOne<Target>
  | KnowsMany<Target>

function declare<Relation extends RelationDeclaration>(relation: Relation): Relation {
  Object.freeze(relation.options)
  return Object.freeze(relation)
}

/**
 * Composition: the records belong to their owner. They are written and deleted with it, and their path is below its
 * path.
 *
 * @example
 * relations: { cover: owns.one('cover', { required: true }), chapters: owns.many('chapter') }
 */
export const owns = {
  one<const Target extends string, const Required extends boolean = false>(
    target: Target,
    options?: OwnsOneOptions<Required>,
  ): OwnsOne<Target, NoInfer<Required>> {
    return declare({ relation: 'owns.one', target, options: { ...options } })
  },
  many<const Target extends string, const Order extends string = never>(
    target: Target,
    options?: OwnsManyOptions<Order>,
  ): OwnsMany<Target, NoInfer<Order>> {
    return declare({ relation: 'owns.many', target, options: { ...options } })
  },
} as const

/**
 * The other side of `owns`: the foreign key is here. A resource that is owned several times has one `ownedBy`
 * for each owner, and each record has exactly one of them.
 *
 * @example
 * relations: { book: ownedBy('book') } // column bookId
 */
export function ownedBy<
  const Target extends string,
  const Optional extends boolean = false,
  const ForeignKey extends string = never,
  const Moves extends boolean = false,
>(
  target: Target,
  options?: OwnedByOptions<Optional, ForeignKey, Moves>,
): OwnedBy<Target, NoInfer<Optional>, NoInfer<ForeignKey>, NoInfer<Moves>> {
  return declare({ relation: 'ownedBy', target, options: { ...options } })
}

/**
 * Aggregation: a record must name the records that it needs, and these cannot be deleted while it does. With `optional`
 * it may name none, but a record that it names still cannot be deleted.
 *
 * @example
 * relations: {
 *   publisher: needs.one('publisher'),
 *   editor: needs.one('person', { optional: true }),
 *   authors: needs.many('author'),
 * }
 */
export const needs = {
  one<const Target extends string, const ForeignKey extends string = never, const Optional extends boolean = false>(
    target: Target,
    options?: NeedsOneOptions<ForeignKey, Optional>,
  ): NeedsOne<Target, NoInfer<ForeignKey>, NoInfer<Optional>> {
    return declare({ relation: 'needs.one', target, options: { ...options } })
  },
  many<
    const Target extends string,
    const Through extends string = never,
    const From extends string = never,
    const To extends string = never,
    const Order extends string = never,
  >(
    target: Target,
    options?: LinkOptions<Through, From, To, Order>,
  ): NeedsMany<Target, NoInfer<Through>, NoInfer<From>, NoInfer<To>, NoInfer<Order>> {
    return declare({ relation: 'needs.many', target, options: { ...options } })
  },
} as const

/**
 * The other side of `needs`: how many records one record may serve. It adds nothing to a record. Default: many.
 *
 * @example
 * relations: { books: neededBy.many('book') }
 */
export const neededBy = {
  one<const Target extends string>(target: Target, options?: { readonly inverse?: string }): NeededByOne<Target> {
    return declare({ relation: 'neededBy.one', target, options: { ...options } })
  },
  many<const Target extends string>(target: Target, options?: { readonly inverse?: string }): NeededByMany<Target> {
    return declare({ relation: 'neededBy.many', target, options: { ...options } })
  },
} as const

/**
 * Loose association: either side can be deleted at any time, and the other one stays.
 *
 * @example
 * relations: { series: knows.one('series'), tags: knows.many('tag') }
 */
export const knows = {
  one<const Target extends string, const ForeignKey extends string = never>(
    target: Target,
    options?: KnowsOneOptions<ForeignKey>,
  ): KnowsOne<Target, NoInfer<ForeignKey>> {
    return declare({ relation: 'knows.one', target, options: { ...options } })
  },
  many<
    const Target extends string,
    const Through extends string = never,
    const From extends string = never,
    const To extends string = never,
    const Order extends string = never,
  >(
    target: Target,
    options?: LinkOptions<Through, From, To, Order>,
  ): KnowsMany<Target, NoInfer<Through>, NoInfer<From>, NoInfer<To>, NoInfer<Order>> {
    return declare({ relation: 'knows.many', target, options: { ...options } })
  },
} as const
