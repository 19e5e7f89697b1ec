import type { ModelProblem } from '../../errors.ts'
import type { Field, Index } from '../model.ts'
import { longestText } from '../values/longest-text.ts'
import { type KeyMembers, keyMembers, membersNamed } from './key-members.ts'
import { buildingOf, type ResourceDraft } from './resource-draft.ts'

/** The longest text of a column with an index, in characters. A row of a PostgreSQL index has room for some 2,700 bytes. */
const LONGEST_INDEXED = 500

/** The longest texts of formats, of which none is too long. A `date-time` of any length is a number in its index. */
const FORMAT_LENGTHS: Readonly<Record<string, number>> = { 'date-time': 0, date: 10, uuid: 45, ipv4: 15, ipv6: 45 }

/** Turns a descriptor's `index`, and that of its fields, into indexes over fields and foreign keys. */
export function buildIndexes(draft: ResourceDraft, problems: ModelProblem[]): void {
  const members = keyMembers(draft)
  for (const field of draft.fields) {
    if (field.schema.index === true) add(draft, [field.name], `${draft.key}.fields.${field.name}`, members, problems)
  }
  for (const [position, names] of (buildingOf(draft).descriptor.index ?? []).entries()) {
    add(draft, names, `${draft.key}.index[${position}]`, members, problems)
  }
}

function add(
  draft: ResourceDraft,
  names: readonly string[],
  place: string,
  members: KeyMembers,
  problems: ModelProblem[],
): void {
  const index: Index = { names: [...names], members: membersNamed(names, members, 'an index', place, problems) }
  for (const member of index.members) {
    if (member.kind === 'field' && isTooLong(member)) {
      const message = `'${member.name}' needs a 'maxLength' of at most ${LONGEST_INDEXED}, to be part of an index`
      problems.push({ place, message })
    }
  }
  if (draft.indexes.some((other) => isSame(other, index))) {
    problems.push({ place, message: `the index over '${names.join("', '")}' is declared twice` })
  }
  draft.indexes.push(index)
}

function isTooLong({ storage, schema }: Field): boolean {
  return storage === 'string' && longestText(schema, FORMAT_LENGTHS) > LONGEST_INDEXED
}

function isSame(one: Index, other: Index): boolean {
  return (
    one.members.length === other.members.length &&
    one.members.every((member, position) => member === other.members[position])
  )
}
