import type { ErrorObject } from 'ajv'

/** A list of 1,000 numbers, each of them wrong, has a tenth of that. */
const MOST_CHARACTERS = 50_000

/**
 * The first errors, as many as there are paths of that length together, and at least one. A path has the client's own keys:
 * below a key of 500 kB, a thousand wrong values would be an answer of 500 MB.
 */
export function errorsInShort(errors: readonly ErrorObject[]): readonly ErrorObject[] {
  let characters = 0
  const end = errors.findIndex(({ instancePath }) => {
    characters += instancePath.length
    return characters > MOST_CHARACTERS
  })
  return end === -1 ? errors : errors.slice(0, Math.max(1, end))
}
