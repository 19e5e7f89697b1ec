import type { BodyProblem } from '../../errors.ts'
import type { UniqueKey } from '../../model/model.ts'
import { pointerTo } from '../../planning/body/pointer.ts'
import { canCollide, heldOf, memberPointer, type UniqueValues } from '../../planning/decide/unique-values.ts'
import type { RecordOwner } from '../../planning/rows.ts'
import type { BodyRead } from '../body-reader.ts'

/** The values of a key in a body; undefined where one is missing, null, or no value of its member. `owner`: that of the path. `faulty`: pointers. */
export function valuesOfKey(
  key: UniqueKey,
  { draft, said }: BodyRead,
  index: number,
  owner: RecordOwner | undefined,
  faulty: ReadonlySet<string | undefined>,
): UniqueValues | undefined {
  const { resource, pointer } = draft
  const values = heldOf(key, (member) => {
    if (member.kind !== 'ownedBy') {
      return faulty.has(pointerTo(pointer, member.property)) ? null : (draft.values[member.position] ?? null)
    }
    const known = [...(owner === undefined ? [] : [owner]), ...said].find(({ by }) => by === member)
    return known?.id ?? null
  })
  return canCollide(values) ? { resource, key, row: { new: index }, values, pointer, before: undefined } : undefined
}

/** The values by which a request names its records have to be there. */
export function missingValue(key: UniqueKey, { draft: { pointer, values, reading } }: BodyRead): BodyProblem {
  return {
    pointer: memberPointer(key, pointer, values, reading.fieldRights),
    message: `is required, and not null: the request names the record by ${key.names.join(', ')}`,
    keyword: 'required',
  }
}
