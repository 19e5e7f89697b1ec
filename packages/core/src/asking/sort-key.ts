import type { CollectionPath, LinkedFrom } from '../model/collection-path.ts'
import type { Relation } from '../model/model.ts'
import { pathShape } from './condition.ts'
import { dependsOnType, type Operand } from './operand.ts'
import { scalarTypeOf } from './scalar-type.ts'

/** What records are sorted by. Records without a value come last, whatever the direction. */
export interface SortKey {
  readonly by: SortedBy | ByPlace
  readonly isDescending: boolean
}

/** What requests can name. */
export type SortedBy =
  /** A value at the end of a path that leads to one record at most. */
  | {
      readonly kind: 'value'
      readonly relations: readonly Relation[]
      readonly operand: Operand
      readonly isLowered: boolean
    }
  /** How many records there are behind the last relation of a path. */
  | { readonly kind: 'count'; readonly relations: readonly Relation[] }

/** The number of the link by which a list along links has the record. */
interface ByPlace {
  readonly kind: 'place'
  readonly from: LinkedFrom
  /** None: the record itself is linked. */
  readonly relations: readonly Relation[]
}

/** How an array or a list is sorted by default: as the array that keeps its order. */
export function keptOrder(relation: Relation | undefined): readonly SortKey[] {
  if (relation?.kind !== 'owns' || relation.order === undefined) return NO_KEYS
  const member = relation.order
  const operand = { kind: 'member', member, type: scalarTypeOf(member) } as const
  return [{ by: { kind: 'value', relations: [], operand, isLowered: false }, isDescending: false }]
}

/** {@link keptOrder} of the list of a path. */
export function keptOrderAt({ relations, linkedFrom }: CollectionPath): readonly SortKey[] {
  if (linkedFrom === undefined) return keptOrder(relations.at(-1))
  return linkedFrom.link.order === undefined
    ? NO_KEYS
    : [{ by: { kind: 'place', from: linkedFrom, relations: [] }, isDescending: false }]
}

const NO_KEYS: readonly SortKey[] = []

/** Whether the case of letters does not count in it. */
export function isFolding({ by }: SortKey): boolean {
  return by.kind === 'value' && by.isLowered
}

/** Whether SQL for it depends on the type of a column. */
export function sortsByType({ by }: SortKey): boolean {
  return by.kind === 'value' && dependsOnType(by.operand)
}

export function sortShape(sort: readonly SortKey[]): string {
  return sort.map(({ by, isDescending }) => `${isDescending ? '-' : ''}${sortedByShape(by)}`).join()
}

function sortedByShape(by: SortKey['by']): string {
  if (by.kind === 'place') return '$place'
  if (by.kind === 'count') return `count(${by.relations.map(({ name }) => `${name}.`).join('')})`
  const value = pathShape(by.relations, by.operand)
  return by.isLowered ? `lower(${value})` : value
}
