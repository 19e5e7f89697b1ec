import { createHash } from 'node:crypto'
import type { Service } from '../../service.ts'
import type { BeginTerms } from '../operations/begin.ts'

const HEADER = 'Idempotency-Key'

/** So long may a key be, in characters. */
const MOST_CHARACTERS = 255

const TEXT = /^[\x20-\x7e]+$/

/**
 * Reads by what a request is known if it is sent again; undefined if it has no key. Adds what is wrong with the header
 * to the problems. `status`: that of the first answer.
 */
export function repeatReader(
  { caller: callerOf }: Service,
  status: number,
  isMany: boolean,
): NonNullable<BeginTerms['repeatIn']> {
  return (request, { returns }, caller, problems) => {
    const key = request.headers['idempotency-key']
    if (key === undefined) return undefined
    if (typeof key !== 'string' || key.length > MOST_CHARACTERS || !TEXT.test(key)) {
      const message = `the header ${HEADER} must have 1 to ${MOST_CHARACTERS} characters of ASCII`
      problems.push({ parameter: HEADER, message, keyword: 'format', params: { format: 'idempotency-key' } })
      return undefined
    }
    const who = whoRepeats(callerOf, caller)
    if (who === undefined) {
      const message = `the header ${HEADER} needs a caller with an id, as keys are each caller's own`
      problems.push({ parameter: HEADER, message, keyword: 'caller' })
      return undefined
    }
    return {
      key: digestOf([who, request.method, request.url, key]),
      body: digestOf(request.body),
      status: status === 200 && returns === 'minimal' ? 204 : status,
      isMany,
    }
  }
}

/** Whether a caller may send keys, as far as it is known. */
export function maySendKeys({ caller: callerOf }: Pick<Service, 'caller'>, caller: object | undefined): boolean {
  return whoRepeats(callerOf, caller) !== undefined
}

/** Whose the keys are; null for everybody's. Without the option, nobody can be told from anybody else. */
function whoRepeats(callerOf: Service['caller'], caller: object | undefined): ReturnType<typeof idOf> | null {
  return callerOf === undefined ? null : idOf(caller)
}

/** The caller's id, with its type: 7 is another one than '7'. Undefined if it has none. */
function idOf(caller: object | undefined): readonly [type: string, id: string] | undefined {
  const { id } = (caller ?? {}) as { readonly id?: unknown }
  if (typeof id === 'string' || typeof id === 'bigint' || Number.isFinite(id)) return [typeof id, String(id)]
  return undefined
}

/** Equal for values that are equal as JSON, whatever the order of properties and the spaces. */
function digestOf(value: unknown): string {
  return createHash('sha256').update(canonical(value)).digest('base64url')
}

function canonical(value: unknown): string {
  try {
    return JSON.stringify(value, (_, part: unknown) => (typeof part === 'bigint' ? String(part) : inOrder(part))) ?? ''
  } catch (error) {
    // So deep a body is refused, and what is refused is not kept.
    if (error instanceof RangeError) return ''
    throw error
  }
}

function inOrder(part: unknown): unknown {
  if (typeof part !== 'object' || part === null || Array.isArray(part)) return part
  const entries = Object.entries(part).sort(([one], [other]) => (one < other ? -1 : one > other ? 1 : 0))
  // Without the prototype, so that `__proto__` is a name like any other.
  return Object.assign(Object.create(null), Object.fromEntries(entries))
}
