import type { Problem } from '../../errors.ts'
import { pointerStep } from '../pointer-step.ts'

/** What is said of a number that JSON has, and JavaScript has not. */
const LOST_DIGITS = {
  message: 'must be a number that keeps its digits: a whole number beyond 2^53 would be rounded',
  keyword: 'maximum',
  params: { limit: Number.MAX_SAFE_INTEGER },
}

/**
 * A body with numbers in place of its bigints, so that the rest of it can be read, and a problem for each of them. Does not recurse, so a
 * deep body cannot overflow the stack.
 */
export function roundBigints(body: unknown): { readonly body: unknown; readonly problems: readonly Problem[] } {
  if (typeof body === 'bigint') return { body: Number(body), problems: [{ pointer: '', ...LOST_DIGITS }] }
  const problems: Problem[] = []
  const copy = copyOf(body)
  const open: { readonly holder: object; readonly pointer: string }[] = [{ holder: copy, pointer: '' }]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { holder, pointer } = next
    for (const [key, value] of Object.entries(holder)) {
      const here = `${pointer}/${pointerStep(key)}`
      if (typeof value === 'bigint') {
        set(holder, key, Number(value))
        problems.push({ pointer: here, ...LOST_DIGITS })
      } else if (typeof value === 'object' && value !== null) {
        const inner = copyOf(value)
        set(holder, key, inner)
        open.push({ holder: inner, pointer: here })
      }
    }
  }
  return { body: copy, problems }
}

function copyOf(value: unknown): object {
  return Array.isArray(value) ? [...value] : { ...(value as object) }
}

/** Also a property of the name `__proto__`. */
function set(holder: object, key: string, value: unknown): void {
  Object.defineProperty(holder, key, { value, enumerable: true, configurable: true, writable: true })
}
