import type { ModelProblem } from '../../errors.ts'
import { didYouMean } from '../check/suggest.ts'
import type { KeyConditionDeclaration, UniqueKeyDeclaration } from '../descriptors/descriptors.ts'
import { isObject } from '../is-object.ts'
import type { ColumnCondition, Constant, Field, ForeignKey, KeyCondition } from '../model.ts'
import { textFormat } from '../values/text-format.ts'
import { type KeyMembers, keyMembers, membersNamed } from './key-members.ts'
import { buildingOf, type ResourceDraft } from './resource-draft.ts'
import { uniqueKey } from './unique-key.ts'

/** Turns a descriptor's `unique` into unique keys over fields and foreign keys. */
export function buildUniques(draft: ResourceDraft, problems: ModelProblem[]): void {
  const members = keyMembers(draft)
  for (const [index, declared] of (buildingOf(draft).descriptor.unique ?? []).entries()) {
    const place = `${draft.key}.unique[${index}]`
    const { fields, where = {} }: UniqueKeyDeclaration = 'fields' in declared ? declared : { fields: declared }
    const conditions = Object.entries(where).flatMap(([name, is]) => {
      return condition(name, is, members, `${place}.where.${name}`, problems) ?? []
    })
    draft.uniques.push(uniqueKey(fields, membersNamed(fields, members, 'a unique key', place, problems), conditions))
  }
}

function condition(
  name: string,
  declared: KeyConditionDeclaration,
  members: KeyMembers,
  place: string,
  problems: ModelProblem[],
): KeyCondition | undefined {
  const member = members.get(name)
  if (member === undefined) {
    const hint = didYouMean(name, members.keys())
    problems.push({ place, message: `no field or relation with a foreign key '${name}'${hint}` })
    return undefined
  }
  const is = declared === null ? 'null' : isObject(declared) ? 'not null' : { value: declared }
  const message = problemOfMember(member, is) ?? (typeof is === 'string' ? undefined : problemOfValue(member, is.value))
  if (message !== undefined) problems.push({ place, message })
  return { member, is }
}

function problemOfMember(member: Field | ForeignKey, is: ColumnCondition): string | undefined {
  if (member.kind === 'field') {
    if (member.writeOnly) return 'is write-only, so no plan knows which rows the key holds for'
    if (member.storage === 'json' || member.storage === 'bytes') {
      return `is ${member.storage === 'json' ? 'JSON' : 'base64'} and cannot be part of a condition`
    }
  }
  return typeof is === 'string' && !member.nullable ? 'is never null' : undefined
}

/** Equal values have one spelling in the column: a plan and the database find the same rows. */
function problemOfValue(member: Field | ForeignKey, value: Constant): string | undefined {
  if (member.kind !== 'field') return 'is a relation: it can be null, or { null: false }'
  const hasOneSpelling = member.storage !== 'date' && textFormat(member.schema) === undefined
  if (!hasOneSpelling || member.stored !== undefined) {
    return 'can be null, or { null: false }, as columns of its kind spell a value in several ways'
  }
  const [first] = member.check(value)
  return first && `its value ${first.message}`
}
