import type { Field, ForeignKey } from '../model.ts'
import { fieldCheck } from '../values/field-check.ts'
import { momentInUtc } from '../values/long-number.ts'
import type { JsonSchema } from '../values/schema-facts.ts'
import { longestText, textFormat } from '../values/schema-facts.ts'
import { compositeId } from './composite-id.ts'
import type { Id, IdKind } from './id-kind.ts'
import { integerId } from './integer-id.ts'
import { isStorableText, MOST_CHARACTERS, textId } from './text-id.ts'

/** A part of an id that is a text, a date or a moment, as answers spell it. Any text can be one: it is escaped. */
export function valueId(field: Field): IdKind {
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
export function onlyValueId(field: Field): IdKind {
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
