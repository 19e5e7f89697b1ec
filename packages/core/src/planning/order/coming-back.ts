import type { Reference } from '../../model/model.ts'
import { type Changes, comesBack, givenId, type Insert, type Update } from '../diff/changes.ts'
import type { MemberValues } from '../rows.ts'

/** Changes of which some foreign keys wait until the records that they name are back. */
export interface WithKeysLater {
  readonly inserts: readonly Insert[]
  readonly updates: readonly Update[]
  /** Sets the foreign keys, behind the inserts. */
  readonly later: readonly Update[]
}

/**
 * Records that come back may name each other, in a circle, too, and rows that stay may name them. So foreign keys that
 * can be null are set once all records are back. Those that cannot name a record of lower rank, which is back before.
 */
export function withKeysLater(changes: Changes, updates: readonly Update[]): WithKeysLater {
  const { inserts } = changes
  if (!inserts.some((one) => one.comesBack === 'gone')) return { inserts, updates, later: [] }
  const later: Update[] = []
  const waits = (values: MemberValues) => (reference: Reference) => {
    const id = givenId(values, reference)
    return reference.nullable && id !== undefined && id !== null && comesBack(changes, reference.target, id)
  }
  const split = <Row extends Insert | Update>(
    row: Row,
    toUpdate: (values: MemberValues) => Update,
  ): Row | undefined => {
    const waiting = row.resource.references.filter(waits(row.values))
    if (waiting.length === 0) return row
    const positions = new Set(waiting.map(({ position }) => position))
    later.push(toUpdate(row.values.map((value, position) => (positions.has(position) ? value : undefined))))
    const isAdded = 'row' in row
    const values = row.values.map((value, position) => (positions.has(position) ? (isAdded ? null : undefined) : value))
    return isAdded || values.some((value) => value !== undefined) ? { ...row, values } : undefined
  }
  return {
    inserts: inserts.map((insert) => {
      const { resource, id, values: before, pointer } = insert
      const record = { id: id as NonNullable<typeof id>, ...named(insert, before) }
      if (insert.comesBack !== 'gone') return insert
      const update = (values: MemberValues) => ({
        resource,
        id: record.id,
        owner: undefined,
        before: record,
        values,
        pointer,
      })
      return split(insert, update) as Insert
    }),
    updates: updates.flatMap((update) => split(update, (values) => ({ ...update, values })) ?? []),
    later,
  }
}

function named({ resource }: Insert, values: MemberValues): Readonly<Record<string, unknown>> {
  return Object.fromEntries(resource.members.map(({ property, position }) => [property, values[position] ?? null]))
}
