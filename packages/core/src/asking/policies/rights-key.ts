import type { PolicySet } from './read-policies.ts'
import type { Rights, RowRule } from './rights.ts'

/** Tells rights apart: two that allow the same have the same key, whichever roles they come from. */
export function rightsKey({ conditions }: PolicySet, { rules }: Rights): string {
  const numbers = new Map(conditions.map(({ condition }, index) => [condition, index]))
  const keyOf = (rule: RowRule) => {
    return typeof rule === 'boolean'
      ? String(rule)
      : rule
          .map((one) => numbers.get(one))
          .toSorted()
          .join('+')
  }
  return [...rules.values()].map((ofResource) => Object.values(ofResource).map(keyOf).join()).join(';')
}
