import type { Resource } from '../../model/model.ts'
import { groupBy } from './group-by.ts'
import { byRank, sort } from './sort.ts'

interface OfResource {
  readonly resource: Resource
}

/** Groups rows by resource, in ascending order of rank. */
export function byResource<Row extends OfResource>(rows: readonly Row[]): [Resource, Row[]][] {
  const groups = groupBy(rows, resourceOf)
  sort(groups, byRank)
  return groups
}

function resourceOf({ resource }: OfResource): Resource {
  return resource
}
