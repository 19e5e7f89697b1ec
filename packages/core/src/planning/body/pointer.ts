import { pointerStep } from '../../model/pointer-step.ts'

/** The JSON pointer (RFC 6901) to a property or element of what another one points to. */
export function pointerTo(parent: string, step: string | number): string {
  return `${parent}/${typeof step === 'string' ? pointerStep(step) : step}`
}
