import type { Relation } from '../model/model.ts'
import { pathShape } from './condition.ts'
import { dependsOnType, type Operand } from './operand.ts'

/** What records are sorted by. Records without a value come last, whatever the direction. */
export interface SortKey {
  readonly by: SortedBy
  readonly isDescending: boolean
}

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

function sortedByShape(by: SortedBy): string {
  if (by.kind === 'count') return `count(${by.relations.map(({ name }) => `${name}.`).join('')})`
  const value = pathShape(by.relations, by.operand)
  return by.isLowered ? `lower(${value})` : value
}
