import type { Asker } from '../../model/callers.ts'
import { isRowMember, type Member, type Resource, type RowMember } from '../../model/model.ts'
import { noSuchRecord } from '../../planning/body/faults.ts'
import type { Facts } from '../../planning/decide/lookups.ts'
import { type Changes, givenId, type Insert, isRemoved, sameValue, type Update } from '../../planning/diff/changes.ts'
import type { Diff } from '../../planning/diff/diff.ts'
import { findListed } from '../../planning/diff/find-listed.ts'
import { isNew, type MemberValues, type RowId } from '../../planning/rows.ts'
import { type ReadRecord, type RowOwner, treeOf } from '../rows/tree.ts'
import type { NumberedMember, RuleSet, SetInput, SetMember } from '../rule-set.ts'

/** The changes of a write, and the records that its body lists. */
type Planned = Pick<Diff, 'changes' | 'listed'>

/** Who asks, and when. */
export type SetTerms = Asker & Pick<SetInput, 'now'>

/**
 * Adds to the changes the values that rules give to new rows, and to rows that change. A row of which only links change
 * counts as changed. `read`: the records that the request names, with all that they own; none that is new.
 */
export function setValues({ rules }: RuleSet, diff: Planned, asking: SetTerms, read: readonly ReadRecord[]): void {
  const { inserts, updates } = diff.changes
  for (let index = 0; index < inserts.length; index++) {
    const insert = inserts[index] as Insert
    const { setMembers = [], numbered = [] } = rules.get(insert.resource.key) ?? {}
    if (setMembers.length === 0) continue
    inserts[index] = { ...insert, values: valuesOfNew(insert, setMembers, asking, numbered) }
  }
  for (let index = 0; index < updates.length; index++) {
    const update = updates[index] as Update
    const setMembers = setOnChange(rules, update.resource)
    if (setMembers.length > 0) updates[index] = { ...update, values: valuesOfChanged(update, setMembers, asking) }
  }
  for (const update of read.length === 0 ? [] : linkedOnly(rules, diff, read)) {
    const values = valuesOfChanged(update, setOnChange(rules, update.resource), asking)
    if (values.some((value) => value !== undefined)) updates.push({ ...update, values })
  }
}

function setOnChange(rules: RuleSet['rules'], { key }: Resource): readonly SetMember[] {
  return rules.get(key)?.setMembers.filter(({ on }) => on === 'change') ?? []
}

function valuesOfNew(
  { resource, values, owner }: Insert,
  setMembers: readonly SetMember[],
  asking: SetTerms,
  unnumbered: readonly NumberedMember[],
): MemberValues {
  const row = rowOfNew({ resource, values, owner })
  for (const { property } of unnumbered) Object.defineProperty(row, property, NOT_YET_NUMBERED)
  const given = values.slice()
  for (const setMember of setMembers) {
    const member = memberOf(resource, setMember.property)
    const value = unlessBehindNumbers(() => fitting(resource, member, setMember.valueFor({ row, ...asking })))
    if (value !== undefined) given[member.position] = value
    if (given[member.position] === null && !member.nullable) throw new TypeError(noValue(resource, member))
  }
  return given
}

/** Stands for a value that a rule makes of a number, until the row has one. */
const BEHIND_NUMBERS = Object.freeze({ toString: () => 'a value that is made of the number' })

const NOT_YET_NUMBERED: PropertyDescriptor = {
  enumerable: true,
  get() {
    throw BEHIND_NUMBERS
  },
}

function unlessBehindNumbers(give: () => unknown): unknown {
  try {
    return give()
  } catch (error) {
    if (error === BEHIND_NUMBERS) return BEHIND_NUMBERS
    throw error
  }
}

/** Gives new rows the values that rules make of their numbers, now that they have these. */
export function setBehindNumbers({ rules }: RuleSet, inserts: Insert[], asking: SetTerms): void {
  for (const [index, insert] of inserts.entries()) {
    const { resource, values } = insert
    if (!values.includes(BEHIND_NUMBERS)) continue
    const setMembers = (rules.get(resource.key)?.setMembers ?? []).filter(
      ({ property }) => values[memberOf(resource, property).position] === BEHIND_NUMBERS,
    )
    const plain = { ...insert, values: values.map((value) => (value === BEHIND_NUMBERS ? null : value)) }
    inserts[index] = { ...insert, values: valuesOfNew(plain, setMembers, asking, []) }
  }
}

function valuesOfChanged(
  { resource, id, values, before, owner }: Update,
  setMembers: readonly SetMember[],
  asking: SetTerms,
): MemberValues {
  const valueIn = ({ position, property }: RowMember) =>
    values[position] === undefined ? before[property] : values[position]
  const row = { id, ...rowOf(resource, valueIn, owner) }
  const given = values.slice()
  for (const setMember of setMembers) {
    const member = memberOf(resource, setMember.property)
    const value = fitting(resource, member, setMember.valueFor({ row, ...asking }))
    if (value !== undefined && !sameValue(value, before[member.property])) given[member.position] = value
  }
  return given
}

/** The rows of which only the links change, as updates that set nothing yet. */
function linkedOnly(
  rules: RuleSet['rules'],
  { changes: { updates, linked, unlinked }, listed }: Planned,
  read: readonly ReadRecord[],
): readonly Update[] {
  const ends = [...linked, ...unlinked].filter(
    ({ link: { source }, from }) => !isNew(from) && setOnChange(rules, source).length > 0,
  )
  if (ends.length === 0) return []
  const tree = treeOf(read)
  const draftOf = findListed(listed)
  const readOf = ({ key }: Resource, id: RowId) => (isNew(id) ? undefined : tree.get(key)?.get(id))
  const found = new Set(ends.flatMap(({ link, from }) => readOf(link.source, from) ?? []))
  for (const update of updates) {
    const read = readOf(update.resource, update.id)
    if (read !== undefined) found.delete(read)
  }
  return [...found].map(({ resource: of, record: before, owner }) => ({
    resource: of,
    id: before.id,
    owner: owner && !isNew(owner.id) ? { by: owner.by, id: owner.id } : undefined,
    before,
    values: new Array<unknown>(of.members.length),
    // To the row itself, not to the link, as its fields have pointers, too.
    pointer: draftOf(of, before.id)?.pointer ?? '',
  }))
}

function memberOf({ members }: Resource, property: string): Member {
  return members.find((member) => member.property === property) as Member
}

/** A value that a rule gives to a field or foreign key by its name. Throws a TypeError if it does not fit. */
export function fittingValue(resource: Resource, property: string, value: unknown): unknown {
  return fitting(resource, memberOf(resource, property), value ?? null)
}

/** The value that a rule gives to a field or foreign key; undefined if it gives none. Throws a TypeError if it does not
 * fit. */
function fitting(resource: Resource, member: Member, value: unknown): unknown {
  if (value === undefined) return undefined
  if (value === null && member.nullable) return null
  if (value instanceof Promise)
    throw new TypeError(doesNotFit(resource, member, 'it is a promise, and set does not wait'))
  const problems = value === null ? ['must not be null'] : problemsOf(member, value)
  if (problems.length > 0) throw new TypeError(doesNotFit(resource, member, problems.join(', ')))
  return value
}

function problemsOf(member: Member, value: unknown): readonly string[] {
  if (member.kind === 'field') return member.check(value).map(({ at, message }) => `${at} ${message}`.trimStart())
  const { id } = member.target
  return id.fromJson(value) === undefined ? [id.problem] : []
}

function noValue({ key }: Resource, { property }: Member): string {
  return `rules.${key}: a rule gives no value to '${property}' of a new row, and it may not be null`
}

/** A new row as rules see it before it is planned. */
export function rowOfNew({ resource, values, owner }: Pick<Insert, 'resource' | 'values' | 'owner'>): SetInput['row'] {
  return rowOf(resource, (member) => values[member.position], owner ?? null)
}

/** The fields and foreign keys of a row, that of its owner too. */
function rowOf(
  { members, ownedBy }: Resource,
  valueIn: (member: RowMember) => unknown,
  owner: RowOwner,
): Record<string, unknown> {
  const row: Record<string, unknown> = {}
  for (const member of members) row[member.property] = valueIn(member) ?? null
  for (const by of ownedBy) {
    const moved = isRowMember(by) ? valueIn(by) : undefined
    if (moved !== undefined) row[by.foreignKey] = moved
    else if (owner !== undefined) row[by.foreignKey] = owner?.by.name === by.name ? knownId(owner.id) : null
  }
  return row
}

function knownId(id: RowId): RowId | null {
  return isNew(id) ? null : id
}

/**
 * Throws a TypeError if a foreign key that a rule has given names a record that is not there after the write. It is no
 * error of the client, as no body names the record. Whether the caller may see the record does not matter.
 */
export function checkGivenIds(changes: Changes, { existingForRules }: Facts): void {
  if (existingForRules.size === 0) return
  for (const { resource, values } of [...changes.inserts, ...changes.updates]) {
    for (const reference of resource.references) {
      const { target, setByRule } = reference
      const id = givenId(values, reference)
      if (!setByRule || id === null || id === undefined) continue
      const isThere = existingForRules.get(target)?.has(id) && !isRemoved(changes, target, id)
      if (!isThere) throw new TypeError(doesNotFit(resource, reference, noSuchRecord(target, id).message))
    }
  }
}

/** The message for the application about a value of a rule that a row cannot have. */
function doesNotFit({ key }: Resource, { property }: Member, why: string): string {
  return `rules.${key}: the value that a rule gives to '${property}' does not fit: ${why}`
}
