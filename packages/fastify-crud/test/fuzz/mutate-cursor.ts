import type { Making } from './fitting-value.ts'

/** The cursor with something in it that is changed. Its hash is mostly right: it is no secret. */
export function mutateCursor(making: Making, cursor: string): string {
  const { random } = making
  const at = random.int(cursor.length)
  switch (random.int(6)) {
    case 0:
      return cursor.slice(0, at)
    case 1:
      return `${cursor.slice(0, at)}${random.pick(['A', '_', '=', '%', '.'])}${cursor.slice(at + 1)}`
    default:
      return forged(making, cursor)
  }
}

/** A cursor behind another record, or behind other values. `true` stands for the value of the record that the id names. */
function forged({ random, ids, marks }: Making, cursor: string): string {
  const parts = partsOf(cursor)
  if (parts === undefined) return `${cursor}A`
  const at = 1 + random.int(parts.length - 1)
  const isId = at === parts.length - 1
  if (isId || random.chance(0.5)) parts[parts.length - 1] = ids.at('')
  if (!isId) parts[at] = random.pick([true, true, null, marks.known(), '5', '\u0000', -1, {}, '1e400', 'x'.repeat(600)])
  if (random.chance(0.1)) parts.splice(at, 1)
  return Buffer.from(JSON.stringify(parts)).toString('base64url')
}

/** Undefined if it has been changed before. */
function partsOf(cursor: string): unknown[] | undefined {
  try {
    const parts: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString())
    return Array.isArray(parts) ? parts : undefined
  } catch {
    return undefined
  }
}
