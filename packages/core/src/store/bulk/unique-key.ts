import { CrudError, invalid, shortened, withArticle } from '../../errors.ts'
import type { FieldRights } from '../../model/field-rights.ts'
import type { Resource, UniqueKey } from '../../model/model.ts'
import type { InvisibleResources } from '../../planning/body/draft.ts'

/**
 * The unique key with these names, in any order. Fails with `CRUD_ERR_INVALID` if the resource declares none, or if the caller may not
 * see all of its members.
 */
export function uniqueKeyNamed(
  { key, uniques }: Resource,
  names: readonly string[],
  { sees }: FieldRights,
  hidden: InvisibleResources,
): UniqueKey {
  const isSeen = ({ members }: UniqueKey) =>
    members.every((member) => (member.kind === 'field' ? sees(member) : !hidden.has(member.target)))
  const seen = uniques.filter(isSeen)
  const wanted = new Set(names)
  const found = seen.find((one) => one.names.length === wanted.size && one.names.every((name) => wanted.has(name)))
  if (found !== undefined) return found
  const allowedValues = seen.map((one) => one.names.join(','))
  const advice = seen.length === 0 ? '' : `; it has ${allowedValues.join(' or ')}`
  const message = `by: ${withArticle(key)} has no unique key '${shortened(names.join(','))}'${advice}`
  throw new CrudError(invalid([{ parameter: 'by', message, keyword: 'enum', params: { allowedValues } }]))
}
