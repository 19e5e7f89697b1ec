/** A property's name as a JSON pointer (RFC 6901) has it. */
export function pointerStep(name: string): string {
  if (!name.includes('~') && !name.includes('/')) return name
  return name.replaceAll('~', '~0').replaceAll('/', '~1')
}
