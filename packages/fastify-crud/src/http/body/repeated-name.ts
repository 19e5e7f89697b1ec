import { pointerStep } from '@fastify-crud/core/internal'

/** A string with the colon behind it, if it is a name; or one of the marks of objects and arrays. */
const TOKEN = /("[^"\\]*(?:\\[\s\S][^"\\]*)*")(\s*:)?|[[\]{},]/g

/** An object, or an array, that the text has begun. */
interface Open {
  /** Undefined for an array. */
  readonly names: Set<string> | undefined
  /** The name or the index of the value that comes now. */
  at: string | number
}

/**
 * The pointer of a name that an object of a JSON text has twice: `JSON.parse` keeps the last value without a word. Undefined if there is none.
 *
 * @param body what the text was parsed to. If it has as many names as the text, which is nearly always so, no more has to be read.
 */
export function repeatedName(text: string, body: unknown): string | undefined {
  return mostNamesIn(text) === namesIn(body) ? undefined : repeatedIn(text)
}

/** The colons behind a quote or a space: those of all names, and a few that stand in strings. */
function mostNamesIn(text: string): number {
  let count = 0
  for (let at = text.indexOf(':'); at !== -1; at = text.indexOf(':', at + 1)) {
    const before = text.charCodeAt(at - 1)
    if (before === QUOTE || before <= SPACE) count++
  }
  return count
}

const QUOTE = 0x22
const SPACE = 0x20

/** Does not recurse: a body may be deep. */
function namesIn(body: unknown): number {
  let count = 0
  const open = [body]
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (typeof value !== 'object' || value === null) continue
    const inner: readonly unknown[] = Array.isArray(value) ? value : Object.values(value)
    if (inner !== value) count += inner.length
    for (const one of inner) if (typeof one === 'object' && one !== null) open.push(one)
  }
  return count
}

function repeatedIn(text: string): string | undefined {
  const open: Open[] = []
  for (const [token, string, colon] of text.matchAll(TOKEN)) {
    const last = open.at(-1)
    if (string !== undefined) {
      if (colon === undefined || last?.names === undefined) continue
      const name: string = string.includes('\\') ? JSON.parse(string) : string.slice(1, -1)
      last.at = name
      if (last.names.has(name)) return pointerTo(open)
      last.names.add(name)
    } else if (token === '{') open.push({ names: new Set(), at: '' })
    else if (token === '[') open.push({ names: undefined, at: 0 })
    else if (token !== ',') open.pop()
    else if (typeof last?.at === 'number') last.at++
  }
  return undefined
}

function pointerTo(open: readonly Open[]): string {
  return open.reduce((pointer, { at }) => `${pointer}/${pointerStep(String(at))}`, '')
}
