import { beforeEach } from 'vitest'
import type { JsonBody } from '../../../../../test/support/json-body.ts'
import type { Action, Judged, TestRules } from './rules.ts'
import { shop } from './shop.ts'

/** A row that a rule was told of. */
export interface SeenRow {
  readonly resource: string
  readonly action: Action
  readonly changedBelow: readonly string[]
  readonly before: JsonBody
  readonly after: JsonBody
}

export interface SeenRows {
  /** For each resource of the shop a rule that notes what it is told. */
  readonly rules: TestRules
  /** What was told in this test. */
  readonly all: SeenRow[]
  of(resource: string): readonly SeenRow[]
  /** What was told, in short and sorted: `Edit line`, `Edit order above`. */
  short(): readonly string[]
}

/** Notes which rows a part of the rules is told of. */
export function seenRows(part: 'validate' | 'afterWrite'): SeenRows {
  const all: SeenRow[] = []
  beforeEach(() => void all.splice(0))
  const noting = (resource: string) => ({
    [part]({ action, before, after, changedBelow = [] }: Judged) {
      all.push(structuredClone({ resource, action, changedBelow, before: before ?? null, after: after ?? null }))
    },
  })
  return {
    rules: Object.fromEntries(Object.keys(shop.descriptors).map((resource) => [resource, noting(resource)])),
    all,
    of: (resource) => all.filter((row) => row.resource === resource),
    short: () =>
      all
        .map(({ action, resource, changedBelow }) => `${action} ${resource}${changedBelow.length > 0 ? ' above' : ''}`)
        .sort(),
  }
}

/** The ids of links, whether a rule sees them as ids or as records with an id. */
export function linkedIds(links: readonly JsonBody[]): number[] {
  return links.map((link) => (typeof link === 'object' ? link.id : link)).sort((a, b) => a - b)
}
