import type { Random } from '../../../../test/storm/random.ts'
import { HOSTILE_NAMES, HOSTILE_VALUES } from './hostile-values.ts'

type Container = Record<string, unknown> | unknown[]

/** The body with something in it that is changed: a value, a name, an element more or less. It may still be right. */
export function mutateBody(random: Random, body: unknown): unknown {
  const copy = structuredClone(body)
  const containers = containersIn(copy)
  const container = random.pick(containers)
  if (container === undefined || random.chance(0.05)) return random.pick(HOSTILE_VALUES)
  if (Array.isArray(container)) mutateList(random, container)
  else mutateObject(random, container)
  return copy
}

function mutateList(random: Random, list: unknown[]): void {
  const at = random.int(list.length)
  switch (random.int(4)) {
    case 0:
      if (list.length > 0) list[at] = random.pick(HOSTILE_VALUES)
      break
    case 1:
      list.push(random.pick(HOSTILE_VALUES))
      break
    case 2:
      if (list.length > 0) list.push(structuredClone(list[at]))
      break
    case 3:
      list.splice(at, 1)
  }
}

function mutateObject(random: Random, object: Record<string, unknown>): void {
  const name = random.pick(Object.keys(object))
  const other = random.pick(HOSTILE_NAMES) ?? 'x'
  switch (random.int(5)) {
    case 0:
    case 1:
      if (name !== undefined) object[name] = random.pick(HOSTILE_VALUES)
      break
    case 2:
      object[other] = random.pick(HOSTILE_VALUES)
      break
    case 3:
      if (name !== undefined) delete object[name]
      break
    case 4:
      if (name === undefined) break
      object[other] = object[name]
      delete object[name]
  }
}

/** Every object and list in a value, itself included. */
function containersIn(value: unknown): Container[] {
  if (typeof value !== 'object' || value === null) return []
  return [value as Container, ...Object.values(value).flatMap(containersIn)]
}

/** The text of a body with something in it that is changed. It may be no JSON any more. */
export function mutateText(random: Random, text: string): string | Buffer {
  const at = random.int(text.length + 1)
  const [before, after] = [text.slice(0, at), text.slice(at)]
  switch (random.int(8)) {
    case 0:
      return before
    case 1:
      return `${before}${random.pick(['{', '}', '[', ']', '"', ',', ':', '\\', '\u0000', 'null', '1e400', '"__proto__":1,'])}${after}`
    case 2:
      return Buffer.concat([Buffer.from(before), Buffer.from([random.int(256)]), Buffer.from(after)])
    case 3:
      return `\ufeff${text}`
    case 4:
      return text.replace(
        '{',
        random.pick(['{"__proto__":{"x":1},', '{"constructor":{"prototype":{}},', '{"id":1,"id":2,']) ?? '',
      )
    case 5:
      return `${'['.repeat(1 + random.int(5_000))}${text}`
    case 6:
      return text.replace(/\d+/, random.pick(['1e400', '-1e400', '9007199254740993', '-0', '1.0', '01', '1E0']) ?? '')
    default:
      return `${text}${text}`
  }
}
