import type { Draft } from '../body/draft.ts'
import { nestedWithoutKey } from '../body/nested-record.ts'
import { sets } from './unique-values.ts'

/** Each combination of fields is a statement of its own. More fields would make too many statements to keep in memory. */
const MOST_FIELDS = 8

/**
 * Whether a PATCH is the same write for any record: it sets only fields, and nothing else depends on these fields.
 *
 * A JSON field is compared with what is stored, and a nested record without its foreign key with the stored foreign key.
 * Unique values are looked up, because the database may lack the unique key. A body with the record's id probably comes
 * from a GET and changes nothing, so reading first is cheaper.
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
  if (resource.references.some((reference) => nestedWithoutKey(draft, reference) !== undefined)) return false
  return fields > 0 && fields <= MOST_FIELDS && !resource.uniques.some((key) => sets(values, key))
}

function isSaid(part: unknown): boolean {
  return part !== undefined
}
