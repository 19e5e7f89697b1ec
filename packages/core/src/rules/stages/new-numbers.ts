import type { Resource } from '../../model/model.ts'
import type { Insert } from '../../planning/diff/changes.ts'
import { type WhoseRow, whoseRecord } from '../../sql/rows/whose-rows.ts'
import type { NumberedMember, RuleSet, SetInput } from '../rule-set.ts'
import { fittingValue, rowOfNew, type SetTerms } from './set-values.ts'

/** A group of rows with numbers of its own, and the new rows of it, in the order of the body. */
export interface Counter {
  /** What its row in the database is found by. */
  readonly key: WhoseRow & { readonly counter: string; readonly series: string }
  readonly resource: Resource
  readonly member: NumberedMember
  readonly rows: readonly NumberedRow[]
}

interface NumberedRow {
  /** Of the row among the new ones. */
  readonly index: number
  readonly input: SetInput
}

/** The counters that new rows need, in the order in which all writes lock them: by their keys. */
export function countersOf({ rules }: RuleSet, inserts: readonly Insert[], asking: SetTerms): readonly Counter[] {
  const counters = new Map<string, Counter & { readonly rows: NumberedRow[] }>()
  for (const [index, insert] of inserts.entries()) {
    const { resource } = insert
    const numbered = rules.get(resource.key)?.numbered ?? []
    if (numbered.length === 0) continue
    const input = { row: rowOfNew(insert), ...asking }
    for (const member of numbered) {
      const counter = `${resource.key}.${member.property}`
      const key = { ...whoseRecord(asking, resource), counter, series: seriesOf(resource, member, input) }
      const inOrder = JSON.stringify(Object.values(key))
      const known = counters.get(inOrder) ?? { key, resource, member, rows: [] }
      known.rows.push({ index, input })
      counters.set(inOrder, known)
    }
  }
  return [...counters].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, counter]) => counter)
}

function seriesOf(resource: Resource, member: NumberedMember, input: SetInput): string {
  const parts = member.seriesOf(input)
  for (const part of parts) {
    if (part === null || ['string', 'number', 'boolean'].includes(typeof part)) continue
    throw new TypeError(
      `rules.${resource.key}: numbers: 'per' of '${member.property}' must give texts, numbers, booleans or null, not ${part}`,
    )
  }
  return JSON.stringify(parts)
}

/** The number that the first row of a group gets. Throws a TypeError for what is none. */
export function checkedStart({ resource, member }: Counter, start: unknown): number {
  const number = Number(start)
  if (typeof start !== 'object' && start !== undefined && start !== '' && Number.isSafeInteger(number)) return number
  throw new TypeError(
    `rules.${resource.key}: numbers: 'start' of '${member.property}' must give an integer, not ${start}`,
  )
}

/** Gives the rows of a counter their numbers. `last`: of the last one of them. */
export function giveNumbers(inserts: Insert[], { resource, member, rows }: Counter, last: number): void {
  for (const [position, { index, input }] of rows.entries()) {
    const insert = inserts[index] as Insert
    const number = last - rows.length + 1 + position
    const values = insert.values.slice()
    const { property } = member
    values[positionOf(resource, property)] = fittingValue(resource, property, member.format(number, input))
    inserts[index] = { ...insert, values }
  }
}

function positionOf({ members }: Resource, property: string): number {
  return members.findIndex((member) => member.property === property)
}
