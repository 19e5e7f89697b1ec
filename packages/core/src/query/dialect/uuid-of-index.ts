/** The UUID that stands for an index in a list. */
export function uuidOfIndex(index: number): string {
  return `${NIL.slice(0, -INDEX_DIGITS)}${index.toString(16).padStart(INDEX_DIGITS, '0')}`
}

export function indexOfUuid(uuid: string | number): number {
  return Number.parseInt(String(uuid).slice(-INDEX_DIGITS), 16)
}

/** The least UUID. */
export const NIL = '00000000-0000-0000-0000-000000000000'

const INDEX_DIGITS = 12
