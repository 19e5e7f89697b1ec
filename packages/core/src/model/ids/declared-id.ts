import { v7 } from 'uuid'
import type { ModelProblem } from '../../errors.ts'
import { isFunction, type Kinds, oneOf, optional, wrongEntries } from '../check/entries.ts'
import { didYouMean } from '../check/names.ts'
import { isObject } from '../is-object.ts'
import type { Id, IdKind, IdStorage } from './id-kind.ts'
import { bigintId, integerId } from './integer-id.ts'
import { MOST_CHARACTERS, textId } from './text-id.ts'

/**
 * What the ids of a resource are, as an app author says it: the name of a kind, or the kind with options.
 *
 * - `integer` (default): the database assigns them. `assign: 'client'`: bodies have the ids of new records.
 * - `bigint`: 64-bit integers, in JSON as strings of digits.
 * - `uuid`: the library assigns version 7. `assign: 'database'`: the column's default does; `'client'`: the client.
 *   `stored`: how columns of a text type spell them (`'lower'`, `'upper'`, or `'hex'` without hyphens). Default: PostgreSQL's type `uuid`,
 *   and on SQLite texts in lower case.
 * - `text`: the client assigns them, or a function: `assign: () => nanoid()`. `maxLength` (default 100) and `pattern`
 * narrow the ids of new
 *   records.
 *
 * Or the members of the resource that its primary key consists of, by name: fields, and relations with a foreign key.
 * With several, an id is a text with the parts in this order, such as `"11,42"`. The owner's part is left out below the
 * owner: `"id": 42`.
 */
export type IdDeclaration =
  | ColumnKind
  | readonly string[]
  | { readonly kind: 'integer' | 'bigint'; readonly assign?: 'database' | 'client' }
  | {
      readonly kind: 'uuid'
      readonly assign?: 'database' | 'client'
      readonly stored?: 'lower' | 'upper' | 'hex'
    }
  | {
      readonly kind: 'text'
      readonly assign?: () => string
      readonly maxLength?: number
      readonly pattern?: string
    }

/** The kinds of ids that have a column of their own. */
type ColumnKind = Exclude<IdKind['name'], 'composite'>

const assign = oneOf(['database', 'client'], "'assign' is 'database' or 'client'")

const OPTIONS: Readonly<Record<ColumnKind, Kinds>> = {
  integer: { assign },
  bigint: { assign },
  uuid: { assign, stored: oneOf(['lower', 'upper', 'hex'], "'stored' is 'lower', 'upper' or 'hex'") },
  text: {
    assign: optional(isFunction, "'assign' is a function that returns a new id; without it, the client gives ids"),
    maxLength: optional(isLength, `'maxLength' is an integer from 1 to ${MOST_CHARACTERS}`),
    pattern: optional(isPattern, "'pattern' is a string with a regular expression"),
  },
}

const KINDS = Object.keys(OPTIONS)

/** Adds what is wrong with a declaration of ids. Returns whether {@link declaredId} can read it. */
export function checkIdDeclaration(place: string, declared: unknown, problems: ModelProblem[]): boolean {
  const add = (message: string) => problems.push({ place, message })
  if (declared === undefined || declared === false) return true
  if (Array.isArray(declared)) {
    const isList = declared.length > 0 && declared.every((name) => typeof name === 'string')
    if (!isList) add("a list names the members that make up the id: ['order', 'product']")
    return isList
  }
  const kind = isObject(declared) ? declared.kind : declared
  if (typeof kind !== 'string' || !KINDS.includes(kind)) {
    const hint = typeof kind === 'string' ? didYouMean(kind, KINDS) : ''
    add(
      `must be one of ${KINDS.map((one) => `'${one}'`).join(', ')}, an object with such a 'kind', or a list of members${hint}`,
    )
    return false
  }
  if (!isObject(declared)) return true
  const { kind: _, ...options } = declared
  const wrong = wrongEntries(options, OPTIONS[kind as ColumnKind], `${kind} ids have no option`)
  for (const { message } of wrong) add(message)
  return wrong.length === 0
}

function isLength(length: unknown): boolean {
  return Number.isSafeInteger(length) && (length as number) >= 1 && (length as number) <= MOST_CHARACTERS
}

function isPattern(pattern: unknown): boolean {
  if (typeof pattern !== 'string') return false
  try {
    return new RegExp(pattern, 'u') instanceof RegExp
  } catch {
    return false
  }
}

/** The kind of ids that is declared, where they have a column of their own. */
export function declaredId(declared: Exclude<IdDeclaration, readonly string[]> = 'integer'): IdKind {
  const options = typeof declared === 'string' ? ({ kind: declared } as Exclude<typeof declared, string>) : declared
  switch (options.kind) {
    case 'integer':
      return integerId(options.assign ?? 'database')
    case 'bigint':
      return bigintId(options.assign ?? 'database')
    case 'uuid':
      return uuidId(options.assign ?? 'library', options.stored === undefined ? 'uuid' : `uuid, ${options.stored}`)
    case 'text':
      return textId(options.assign, options)
  }
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/**
 * UUIDs (RFC 9562) in lower case. The library makes those of version 7: each is greater than the one before, whatever
 * the clock does, so the ids of one request keep the order of its body.
 */
function uuidId(assignedBy: IdKind['assignedBy'], stored: IdStorage): IdKind {
  const schema = Object.freeze({ type: 'string', format: 'uuid' })
  return Object.freeze({
    name: 'uuid',
    stored,
    assignedBy,
    assign: assignedBy === 'library' ? () => v7() : undefined,
    inWords: 'a UUID',
    fromJson: toUuid,
    fromCaller: toUuid,
    problem: 'must be an id: a UUID, such as "0190163d-8694-739b-aea5-966c26f8ad91"',
    fromPath: toUuid,
    maxLength: 36,
    pathProblem: 'must be an id: a UUID',
    isChoosable: (id) => toUuid(id) !== undefined,
    choiceProblem: 'an id that is chosen is a UUID',
    compare: (first, second) => (first < second ? -1 : first > second ? 1 : 0),
    unused: (number) => `ffffffff-ffff-4fff-8fff-${(0xffffffffffff - number).toString(16).padStart(12, '0')}`,
    schema,
    chosenSchema: schema,
    example: '0190163d-8694-739b-aea5-966c26f8ad91',
  } satisfies IdKind)
}

function toUuid(value: unknown): Id | undefined {
  return typeof value === 'string' && UUID.test(value) ? value.toLowerCase() : undefined
}
