import type { Resource } from '@fastify-crud/core/internal'

type Id = number | string

/** What is added to an integer: no record has an id as high as that. */
const HIGH = 900_000_000
const MOST = 99_999_999

/** Ids that no record has, in place of others, and these again in an answer. */
export class MissingIds {
  private readonly originals = new Map<string, string>()

  /** Undefined for what is no id of a record. */
  insteadOf({ shortId: kind }: Resource, given: unknown): Id | undefined {
    const id = kind.fromJson(given)
    const instead = id === undefined ? undefined : missing(kind.stored, id)
    if (instead !== undefined) this.originals.set(String(instead), String(id))
    return instead
  }

  /** The answer to a request with missing ids, as if it had been asked with the originals. */
  withOriginals(text: string): string {
    return [...this.originals].reduce(
      (all, [instead, original]) =>
        all.replaceAll(instead, original).replaceAll(encodeURIComponent(instead), encodeURIComponent(original)),
      text,
    )
  }
}

function missing(stored: string, id: Id): Id | undefined {
  const number = Number(id)
  if (Number.isInteger(number)) {
    if (number < 1 || number >= MOST) return undefined
    return typeof id === 'number' ? number + HIGH : String(number + HIGH)
  }
  // As long as the original, as a message cuts what is long.
  if (stored.startsWith('uuid')) return `ffffffff${String(id).slice(8)}`
  return `\u{10ffff}${String(id).slice(2)}`
}
