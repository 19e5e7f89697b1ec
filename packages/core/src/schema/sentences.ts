/** Joins sentences, without those that do not apply. */
export function sentences(...parts: readonly (string | false)[]): string {
  return parts.filter((part) => part !== false && part !== '').join(' ')
}
