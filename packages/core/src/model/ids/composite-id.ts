import { shortened } from '../../errors.ts'
import type { Id, IdKind } from './id-kind.ts'

/** Each character that has a meaning in an id or in a path, and what stands for it. `~` comes first: it begins all of
 * them. */
export const ESCAPES = [
  ['~', '~0'],
  [',', '~1'],
  ['/', '~2'],
  ['\\', '~3'],
] as const

const SEPARATOR = ','

/** Ids of several parts, joined to a text: `"11,42"`. `parts`: the kinds of the parts, in their order. */
export function compositeId(parts: readonly IdKind[]): IdKind {
  const toWhole = (value: unknown): Id | undefined => {
    const given = typeof value === 'string' ? partsIn(value, parts) : undefined
    const read = given?.map((part, index) => (parts[index] as IdKind).fromJson(part))
    return read?.every((part) => part !== undefined) ? joinedId(read) : undefined
  }
  const example = joinedId(parts.map((part) => part.example))
  const schema = Object.freeze({ type: 'string' })
  const words = `${parts.length} parts with a comma between each two, such as ${JSON.stringify(example)}`
  return Object.freeze({
    name: 'composite',
    stored: 'value',
    assignedBy: 'members',
    assign: undefined,
    parts,
    inWords: words,
    fromJson: toWhole,
    fromCaller: toWhole,
    problem: `must be an id: ${words}`,
    fromPath: (text) => (partsIn(text, parts) === undefined ? undefined : (toWhole(text) ?? shortened(text))),
    isSpelledFreely: (id) =>
      partsOfId({ parts }, id).some((part, index) => parts[index]?.isSpelledFreely?.(part) === true),
    maxLength: parts.reduce((length, part) => length + 1 + part.maxLength, -1),
    pathProblem: `must be an id: ${words}`,
    isChoosable: (id) => toWhole(id) !== undefined,
    choiceProblem: `an id has ${words}`,
    compare(first, second) {
      const [one, other] = [partsOfId({ parts }, first), partsOfId({ parts }, second)]
      for (const [index, part] of parts.entries()) {
        const order = part.compare(one[index] as Id, other[index] as Id)
        if (order !== 0) return order
      }
      return 0
    },
    unused: (number) => joinedId(parts.map((part) => part.unused(number))),
    schema,
    chosenSchema: schema,
    example,
  } satisfies IdKind)
}

/** The id that has these parts. */
export function joinedId(parts: readonly Id[]): Id {
  return parts.map((part) => escaped(String(part))).join(SEPARATOR)
}

/** The parts of an id; of one without parts, the id itself. */
export function partsOfId({ parts }: Pick<IdKind, 'parts'>, id: Id): readonly Id[] {
  if (parts === undefined) return [id]
  const given = partsIn(String(id), parts) ?? []
  return given.map((part, index) => (parts[index] as IdKind).fromJson(part) as Id)
}

/** Undefined if there are more or fewer, or one of them is not spelled as an id of its kind. */
function partsIn(text: string, kinds: readonly IdKind[]): readonly Id[] | undefined {
  const texts = text.split(SEPARATOR)
  if (texts.length !== kinds.length) return undefined
  const parts = texts.map((part, index) => (kinds[index] as IdKind).fromPath(unescaped(part)))
  return parts.every((part) => part !== undefined) ? parts : undefined
}

function escaped(text: string): string {
  return ESCAPES.reduce((result, [character, written]) => result.replaceAll(character, written), text)
}

/** Backwards: what stands for `~` is read last. */
function unescaped(text: string): string {
  return ESCAPES.toReversed().reduce((result, [character, written]) => result.replaceAll(written, character), text)
}
