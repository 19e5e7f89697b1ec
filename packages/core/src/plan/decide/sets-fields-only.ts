import type { Draft } from '../body/draft.ts'
import { nestedAlone } from '../body/nested-record.ts'
import { sets } from './unique-values.ts'

/** Each combination of fields is a statement: with more than these they would take too much memory. */
const MOST_FIELDS = 8

/**
 * Whether a PATCH comes to the same write whatever the record holds: it sets fields of its own, which nothing else hangs on.
 *
 * JSON has to be read to be compared, and so has the foreign key of a nested record that is sent alone. Where a unique key is missing in the database, only a look finds who holds the values.
 * And a body with the record's id is one that was read before, so it may well change nothing.
 */
export function setsFieldsOnly(draft: Draft): boolean {
  const { resource, id, values, owned, links } = draft
  if (id !== undefined || owned.some(isSaid) || links.some(isSaid)) return false
  let fields = 0
  for (let position = 0; position < values.length; position++) {
    if (values[position] === undefined) continue
    const member = resource.members[position]
    if (member?.kind !== 'field' || member.storage === 'json') return false
    fields += 1
  }
  if (resource.references.some((reference) => nestedAlone(draft, reference) !== undefined)) return false
  return fields > 0 && fields <= MOST_FIELDS && !resource.uniques.some((key) => sets(values, key))
}

function isSaid(part: unknown): boolean {
  return part !== undefined
}
