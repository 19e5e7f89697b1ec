import type { Address } from '../../model/address.ts'
import type { WriteParts } from '../write-call.ts'

/** Whether rules run for what writes do at an address: for any write, or for one that only sets fields of a record (`ofPatches`). */
export function mayRunRules(
  { rules }: Pick<WriteParts, 'rules'>,
  { path }: Address,
  writes: 'ofWrites' | 'ofPatches' = 'ofWrites',
): boolean {
  return rules?.scope[writes].has(path.resource.key) ?? false
}
