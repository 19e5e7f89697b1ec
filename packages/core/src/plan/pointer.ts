/** A JSON pointer (RFC 6901) one step further down. */
export function pointerTo(parent: string, step: string | number): string {
  return `${parent}/${typeof step === 'number' ? step : step.replaceAll('~', '~0').replaceAll('/', '~1')}`
}
