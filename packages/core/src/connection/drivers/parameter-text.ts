/** A value as text, as `pg` itself would send it; undefined if `pg` has its own rules for such values. */
export function parameterText(value: unknown): string | null | undefined {
  switch (typeof value) {
    case 'string':
      return value
    case 'number':
    case 'boolean':
    case 'bigint':
      return String(value)
    case 'undefined':
      return null
    default:
      return value === null ? null : undefined
  }
}
