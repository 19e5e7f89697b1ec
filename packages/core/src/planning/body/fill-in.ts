import type { Problem } from '../../errors.ts'
import type { Link, Member, Owns } from '../../model/model.ts'
import type { Draft, MutableDraft } from './draft.ts'
import { lacks } from './faults.ts'
import { refuseNestedInWhole } from './nested-record.ts'

/**
 * Fills in what a POST or PUT leaves out: the default, null, nothing owned, no links. Refuses what is required.
 * Undefined stay the values that a PUT leaves as they are, and those that the database gives to a new record.
 */
export function fillIn(draft: MutableDraft, problems: Problem[]): void {
  const { members, owns, links } = draft.resource
  // Loops by index: V8 does not optimize iterators over frozen arrays.
  for (let index = 0; index < members.length; index++) {
    if (draft.values[index] === undefined) fillInMember(draft, members[index] as Member, problems)
  }
  for (let index = 0; index < owns.length; index++) {
    const relation = owns[index] as Owns
    const { name, many, required } = relation
    if (draft.owned[index] !== undefined || staysAsItIs(relation, draft)) continue
    if (!many && required) refuseMissing(draft, name, problems)
    draft.owned[index] = many ? [] : null
  }
  for (let index = 0; index < links.length; index++) {
    const link = links[index] as Link
    if (draft.links[index] !== undefined || staysAsItIs(link, draft)) continue
    if (link.needs) refuseMissing(draft, link.name, problems)
    draft.links[index] = []
  }
}

function fillInMember(draft: MutableDraft, member: Member, problems: Problem[]): void {
  if (staysUnsaid(member, draft)) return
  const isRequired =
    member.kind === 'field'
      ? member.required && draft.reading.fieldRights.sets(member)
      : !member.nullable && !member.setByRule
  if (member.kind === 'field' && member.default !== undefined) draft.values[member.position] = member.default
  else if (isRequired) refuseMissing(draft, member.property, problems)
  else {
    if (member.kind === 'reference') refuseNestedInWhole(member, draft, problems)
    draft.values[member.position] = null
  }
}

function staysUnsaid(member: Member, { operation, reading, resource }: Draft): boolean {
  // The record that is there has it.
  if (operation === 'replace' && resource.idMembers.includes(member)) return true
  if (member.kind === 'reference') return member.setByRule && operation === 'replace'
  if (member.hasDbDefault) return true
  const { sees, sets } = reading.fieldRights
  if (operation === 'replace') return !sets(member) || !sees(member)
  // Only the database can give it a value.
  return !sets(member) && member.default === undefined && !member.setByRule
}

/** What a GET does not show, a client cannot send back. */
function staysAsItIs({ carried, target }: Owns | Link, { operation, reading }: Draft): boolean {
  return operation === 'replace' && (!carried || reading.hidden.has(target))
}

function refuseMissing({ pointer }: Draft, name: string, problems: Problem[]): void {
  problems.push(lacks(pointer, name))
}
