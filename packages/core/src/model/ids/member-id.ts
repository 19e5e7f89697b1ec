import type { Field, ForeignKey } from '../model.ts'
import { compositeId } from './composite-id.ts'
import type { IdKind } from './id-kind.ts'
import { integerId } from './integer-id.ts'
import { onlyValueId, valueId } from './value-id.ts'

/** The kind of the ids that members of a record make up. */
export function membersId(members: readonly (Field | ForeignKey)[]): IdKind {
  const [only, ...others] = members as readonly [Field | ForeignKey, ...(Field | ForeignKey)[]]
  if (others.length === 0) return ofMembers(only.kind === 'field' ? fieldId(only, onlyValueId) : only.target.id)
  return compositeId(members.map((member) => (member.kind === 'field' ? fieldId(member, valueId) : member.target.id)))
}

function fieldId(field: Field, ofTexts: (field: Field) => IdKind): IdKind {
  return field.storage === 'integer' ? integerId('client') : ofTexts(field)
}

function ofMembers(kind: IdKind): IdKind {
  return Object.freeze({ ...kind, assignedBy: 'members', assign: undefined } satisfies IdKind)
}
