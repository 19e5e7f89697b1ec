/** The JSON pointer (RFC 6901) to a property or element of what another one points to. */
export function pointerTo(parent: string, step: string | number): string {
  return `${parent}/${typeof step === 'string' ? escaped(step) : step}`
}

function escaped(step: string): string {
  if (!step.includes('~') && !step.includes('/')) return step
  return step.replaceAll('~', '~0').replaceAll('/', '~1')
}
