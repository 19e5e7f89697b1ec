import type { Link } from '../model/model.ts'

/** The link by which the target shows the same table of links; undefined if it does not. */
export function otherEnd({ table, fromColumn, toColumn, target }: Link): Link | undefined {
  return target.links.find(
    (other) => other.table === table && other.fromColumn === toColumn && other.toColumn === fromColumn,
  )
}
