import { type ModelProblem, withArticle } from '../../errors.ts'
import { compositeId } from '../ids/composite-id.ts'
import type { Id, IdKind } from '../ids/id-kind.ts'
import { integerId } from '../ids/integer-id.ts'
import { isStorableText, MOST_CHARACTERS, textId } from '../ids/text-id.ts'
import type { Field, ForeignKey } from '../model.ts'
import { fieldCheck } from '../values/field-check.ts'
import { momentInUtc } from '../values/long-number.ts'
import type { JsonSchema } from '../values/schema-facts.ts'
import { longestText, textFormat } from '../values/schema-facts.ts'
import { keyMembers, membersNamed } from './build-uniques.ts'
import { buildingOf, type ResourceDraft } from './resource-draft.ts'

type Drafts = ReadonlyMap<string, ResourceDraft>
type Members = readonly [Field | ForeignKey, ...(Field | ForeignKey)[]]

/** Gives resources the ids that their members make up. Their relations are built. */
export function buildIds(drafts: Drafts, problems: ModelProblem[]): void {
  const known = new Map<ResourceDraft, Members>()
  for (const draft of drafts.values()) {
    const members = declaredMembers(draft, drafts, problems)
    if (members !== undefined) known.set(draft, members)
  }
  const open = new Set<ResourceDraft>()
  const build = (draft: ResourceDraft): void => {
    const members = known.get(draft)
    if (members === undefined || draft.idMembers.length > 0) return
    if (open.has(draft)) {
      problems.push({ place: `${draft.key}.id`, message: 'is made up of ids that are made up of this one' })
      return
    }
    open.add(draft)
    for (const member of members) if (member.kind !== 'field') build(drafts.get(member.target.key) as ResourceDraft)
    giveId(draft, members)
  }
  for (const draft of known.keys()) build(draft)
}

function giveId(draft: ResourceDraft, members: Members): void {
  const [first, ...others] = members
  draft.idMembers = [...members]
  draft.idColumns = [first.column, ...others.map(({ column }) => column)]
  draft.id = membersId(members)
  const short = members.filter(({ kind }) => kind !== 'ownedBy')
  draft.shortId = short.length === 0 || short.length === members.length ? draft.id : membersId(short)
}

/** The members that the descriptor says make up the id; undefined if it says nothing of it, or something is wrong. */
function declaredMembers(draft: ResourceDraft, drafts: Drafts, problems: ModelProblem[]): Members | undefined {
  const { id } = buildingOf(draft).descriptor
  if (!Array.isArray(id)) return undefined
  const before = problems.length
  const place = `${draft.key}.id`
  const members = membersNamed(id, keyMembers(draft), 'an id', place, problems)
  for (const member of members) {
    const why = whyNoPart(member)
    if (why !== undefined) problems.push({ place, message: `'${member.name}' ${why}` })
    if (member.kind === 'ownedBy' && member.position !== undefined) {
      const message = `moves: the id of ${withArticle(draft.key)} has the owner's id as a part, and ids never change`
      problems.push({ place: `${draft.key}.relations.${member.name}`, message })
    }
  }
  if (members.length > 1) problems.push(...problemsOfSeveral(draft, drafts, place))
  const [only] = members
  if (id.length === 1 && only?.kind === 'ownedBy' && only.inverse?.many) {
    const message = `is the id of the owner, so the owner can have one ${draft.key} only: use owns.one`
    problems.push({ place, message })
  }
  return problems.length === before ? (members as Members) : undefined
}

const TEXTS_OR_INTEGERS = 'can be no part of an id: parts are texts, integers, dates, moments, needs.one and ownedBy'

function whyNoPart(member: Field | ForeignKey): string | undefined {
  if (member.nullable) return 'may be null, so it can be no part of an id'
  if (member.kind === 'ownedBy') return undefined
  if (member.setByRule) return 'is set by a rule, so it can be no part of an id'
  if (member.kind === 'reference') return undefined
  const { storage, schema, writeOnly, access, readOnly } = member
  if (storage !== 'integer' && storage !== 'string' && storage !== 'date') return TEXTS_OR_INTEGERS
  if (textFormat(schema) === 'decimal') return TEXTS_OR_INTEGERS
  if (writeOnly || access !== undefined) return 'is not for everybody to see and set, and every id would show it'
  return readOnly ? 'is read-only, so no request could give a new record its id' : undefined
}

/** A foreign key to a record with an id of several parts would have several columns. */
function problemsOfSeveral(draft: ResourceDraft, drafts: Drafts, place: string): ModelProblem[] {
  const { key, owns, links, linkedBy } = draft
  const naming = [...drafts.values()].flatMap(({ references }) => references.filter(({ target }) => target === draft))
  const found = [
    ...owns.map(({ name }) => `cannot own records (${name})`),
    ...links.map(({ name }) => `cannot have a link table (${name})`),
    ...[...naming, ...linkedBy].map((one) => `cannot be what ${one.source.key}.${one.name} names`),
  ]
  const why = `${withArticle(key)} has an id of several parts, and foreign keys of several columns are not supported`
  return found.map((what) => ({ place, message: `${what}: ${why}` }))
}

/** A part of an id that is a text, a date or a moment, as answers spell it. Any text can be one: it is escaped. */
function valueId(field: Field): IdKind {
  const toPart = valueReader(field)
  return Object.freeze({
    ...textId(undefined, {}),
    stored: 'value',
    inWords: 'a text',
    fromJson: toPart,
    fromCaller: toPart,
    fromPath: (text) => (isStorableText(text) ? text : undefined),
    isSpelledFreely: spelledFreely(field),
    maxLength: mostCharacters(field),
    isChoosable: (id) => toPart(id) !== undefined,
  } satisfies IdKind)
}

/** The same as a whole id: it has the rules of text ids, because a path has it as it is. */
function onlyValueId(field: Field): IdKind {
  const toPart = valueReader(field)
  const text = textId(undefined, { maxLength: mostCharacters(field) })
  const toId = (value: unknown) => (value === '' ? undefined : toPart(value))
  return Object.freeze({
    ...text,
    stored: 'value',
    fromJson: toId,
    fromCaller: toId,
    isSpelledFreely: spelledFreely(field),
  } satisfies IdKind)
}

function mostCharacters({ schema }: Field): number {
  return Math.min(longestText(schema, {}), MOST_CHARACTERS)
}

/** Reads a value that the column of the field can hold, whatever its type is. */
function valueReader({ schema, storage }: Field): (value: unknown) => Id | undefined {
  const check = fieldCheck(typeOf(schema), storage)
  const isHeld = textFormat(schema) === 'date-time' ? hasYear : () => true
  return (value) => (isStorableText(value) && check(value).length === 0 && isHeld(value) ? value : undefined)
}

/** A column of the format's own type takes several spellings for the same value. All of them print the plain one. */
function spelledFreely({ schema }: Field): (id: Id) => boolean {
  const plain = PLAIN_SPELLINGS[textFormat(schema) ?? '']
  return plain === undefined ? () => false : (id) => !plain.test(String(id))
}

const PLAIN_SPELLINGS: Readonly<Record<string, RegExp>> = {
  uuid: /^[^A-Z]*$/,
  'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d:[0-5]\d(?:[.]\d{0,5}[1-9])?Z$/,
  // No spelling is that of every type.
  time: /^$/,
}

/** RFC 3339 has a year 0, and offsets lead behind the year 9999. A column of moments has neither. */
function hasYear(moment: string): boolean {
  const utc = momentInUtc(moment)
  return /^[0-9]{4}-/.test(utc) && !utc.startsWith('0000')
}

/** What a column may have a type for. Values that a table has already may break all other rules. */
function typeOf({ format, minLength, maxLength, pattern, ...others }: JsonSchema): JsonSchema {
  return typeof format === 'string' && FORMATS_OF_COLUMNS.includes(format) ? { ...others, format } : others
}

const FORMATS_OF_COLUMNS = ['date', 'date-time', 'time', 'uuid']

/** The kind of the ids that members of a record make up. */
function membersId(members: readonly (Field | ForeignKey)[]): IdKind {
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
