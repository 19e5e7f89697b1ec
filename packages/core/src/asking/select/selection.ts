import type {
  Computed,
  Field,
  ForeignKey,
  Link,
  NeededBy,
  OwnerReference,
  Owns,
  Reference,
  Resource,
} from '../../model/model.ts'
import type { Counted, NestedQuery } from './contents.ts'

/**
 * What a read gives of a record, besides its id: frozen data that JSON and sizes are built from. Statements are kept
 * for the object, so what is selected again and again is made once.
 */
export interface Selection {
  readonly resource: Resource
  /** Of what the record owns, also what the caller may not see: a removal concerns all of it. */
  readonly ignoresPolicies: boolean
  /** In the order in which the record shows them. */
  readonly properties: readonly SelectedProperty[]
  /** Whether it lacks something that such a record has otherwise: the record says so. */
  readonly isPartial: boolean
  /** Whether the database computes something in it. */
  readonly computes: boolean
  /** Whether there are descendants in it, which the database gives in flat lists: {@link SelectedProperty}. */
  readonly holdsTrees: boolean
}

/** What a selection takes for one property of a record. */
export type SelectedProperty =
  | { readonly kind: 'field'; readonly field: Field }
  | { readonly kind: 'computed'; readonly computed: Computed }
  | { readonly kind: 'foreignKey'; readonly reference: ForeignKey }
  | { readonly kind: 'reference'; readonly reference: Reference; readonly record: Selection }
  /** Without a selection only the ids. */
  | { readonly kind: 'link'; readonly link: Link; readonly records: Selection | undefined }
  | { readonly kind: 'owned'; readonly owns: Owns; readonly records: Selection }
  /**
   * All records below one of a self-owned kind by these relations, in one flat list. A query cannot nest them;
   * `nestedJson` does. `owns` is the first of the relations, by whose name the list goes.
   */
  | {
      readonly kind: 'descendants'
      readonly owns: Owns
      readonly through: readonly Owns[]
      readonly records: Selection
    }
  /** Children that are in such a list. */
  | { readonly kind: 'children'; readonly owns: Owns }
  /** Only if a query asks for it, like all below. */
  | { readonly kind: 'single'; readonly relation: OwnerReference | NeededBy; readonly record: Selection }
  | ChosenRows
  | { readonly kind: 'count'; readonly name: string; readonly counted: Counted }

/** An array of which a query says which records it has, and in which order. */
export interface ChosenRows {
  readonly kind: 'chosen'
  readonly relation: Owns | Link | NeededBy
  readonly records: Selection
  readonly rows: NestedQuery
  /** From the records that are asked for. */
  readonly path: string
}

/** What is selected of the records at the other end of a relation; undefined for what shows no record, or only ids. */
export function selectedOf(property: SelectedProperty): Selection | undefined {
  if ('records' in property) return property.records
  return 'record' in property ? property.record : undefined
}

/** The name in a record's JSON. */
export function nameOfProperty(property: SelectedProperty): string {
  switch (property.kind) {
    case 'field':
      return property.field.name
    case 'computed':
      return property.computed.name
    case 'foreignKey':
      return property.reference.foreignKey
    case 'reference':
      return property.reference.name
    case 'link':
      return property.link.name
    case 'single':
    case 'chosen':
      return property.relation.name
    case 'count':
      return property.name
    default:
      return property.owns.name
  }
}
