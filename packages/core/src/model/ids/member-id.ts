import type { Field, ForeignKey } from '../model.ts'
import { compositeId } from './composite-id.ts'
import type { IdKind } from './id-kind.ts'
import { integerId } from './integer-id.ts'
import { onlyValueId, valueId } from './value-id.ts'

/** The kind of the ids that members of a record make up. */
export function membersId(members: readonly (Field | ForeignKey)[]): IdKind {
  const [only, ...others] = members as readonly [Field | ForeignKey, ...(Field | ForeignKey)[]]
  return others.length === 0 ? onlyMemberId(only) : compositeId(members.map(partId))
}

function partId(member: Field | ForeignKey): IdKind {
  if (member.kind !== 'field') return member.target.id
  return member.storage === 'integer' ? integerId('client') : valueId(member)
}

/** A new record can have whatever the member can hold, if a path can name it. */
function onlyMemberId(member: Field | ForeignKey): IdKind {
  const isText = member.kind === 'field' && member.storage !== 'integer'
  const kind = isText ? onlyValueId(member) : anyOf(partId(member))
  return Object.freeze({ ...kind, assignedBy: 'members', assign: undefined } satisfies IdKind)
}

function anyOf(kind: IdKind): IdKind {
  return { ...kind, isChoosable: (id) => kind.fromJson(id) !== undefined, chosenSchema: kind.schema }
}
