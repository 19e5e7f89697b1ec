import { shortened } from '../../errors.ts'
import type { Id, IdKind } from './id-kind.ts'

/** What an app author says of text ids. */
export interface TextIdRules {
  /** The most characters (code points) of a new id. Default: 100. */
  readonly maxLength?: number | undefined
  /** A regular expression (ECMA-262, with the flag `u`) that a new id matches. */
  readonly pattern?: string | undefined
}

/** The most characters of an id that a client chooses. */
export const MOST_CHARACTERS = 100

/**
 * Not `/` or `\`, no control character, not `.` or `..`, no `$` at the beginning, no space at the end. Documents show
 * it. Of `\u0000`, a generator makes the character itself, and Git takes its code for a binary file.
 */
const FORBIDDEN = '^(?!\\.{1,2}$)(?!\\$)(?!.* $)[^/\\\\\\x00-\\x1f\\x7f-\\x9f]+$'

const IN_WORDS =
  "has no '/', '\\' or control character, does not begin with '$' or end with a space, and is not '.' or '..'"

/**
 * Texts. Those that records have already are served whatever they are: the rules are for ids of new records.
 */
export function textId(
  assign: (() => unknown) | undefined,
  { maxLength = MOST_CHARACTERS, pattern }: TextIdRules,
): IdKind {
  const rules = [FORBIDDEN, ...(pattern === undefined ? [] : [pattern])].map((one) => new RegExp(one, 'u'))
  const isChoosable = (id: unknown): id is Id =>
    toText(id) !== undefined &&
    [...(id as string)].length <= maxLength &&
    rules.every((rule) => rule.test(id as string))
  const matching = pattern === undefined ? '' : `, and matches ${pattern}`
  return Object.freeze({
    name: 'text',
    stored: 'text',
    assignedBy: assign === undefined ? 'client' : 'library',
    assign: assign && (() => assigned(assign(), isChoosable)),
    inWords: 'a text',
    fromJson: toText,
    fromCaller: toText,
    problem: 'must be an id: a text',
    fromPath: toText,
    maxLength,
    pathProblem: 'must be an id: a text',
    isChoosable,
    choiceProblem: `an id of a new record has 1 to ${maxLength} characters, ${IN_WORDS}${matching}`,
    compare: byCodePoints,
    unused: (number) => `\u007f${number}`,
    schema: Object.freeze({ type: 'string' }),
    chosenSchema: Object.freeze({
      type: 'string',
      minLength: 1,
      maxLength,
      pattern: FORBIDDEN,
      ...(pattern === undefined ? {} : { allOf: [{ pattern }] }),
    }),
    example: 'a1',
  } satisfies IdKind)
}

function assigned(id: unknown, isChoosable: (id: unknown) => id is Id): Id {
  if (isChoosable(id)) return id
  const given = typeof id === 'string' ? `'${shortened(id)}'` : `a value of type ${typeof id}`
  throw new TypeError(`id.assign returned ${given}, which no new record can have as its id`)
}

function toText(value: unknown): Id | undefined {
  return value !== '' && isStorableText(value) ? value : undefined
}

/** No database stores U+0000 or half of a surrogate pair. */
export function isStorableText(value: unknown): value is string {
  return typeof value === 'string' && !value.includes('\0') && value.isWellFormed()
}

function byCodePoints(first: Id, second: Id): number {
  if (first === second) return 0
  return Buffer.compare(Buffer.from(first as string), Buffer.from(second as string))
}
