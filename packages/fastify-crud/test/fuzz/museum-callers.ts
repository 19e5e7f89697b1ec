import { ACTIONS } from '../../src/access/authorize.ts'
import type { Caller, Rights } from './callers.ts'

function caller(name: string, org: Caller['org'], rights: Rights, isSlow = false): Caller {
  return { name, org, roles: [], rights, isSlow }
}

/**
 * Those who send requests to a service over `models/museum.ts`; the first may do everything. Half of all requests are those of
 * somebody who may: what is refused at the door finds little.
 */
export const museumCallers: readonly Caller[] = [
  ...Array.from({ length: 6 }, () => caller('keeper', 'north', { others: ACTIONS })),
  caller('lender', 'south', { others: ACTIONS }, true),
  caller('visitor', 'south', { others: ['View'] }),
  caller('nobody', 'south', { others: [] }),
  // What they write may hold what they do not see.
  caller('registrar', 'south', { others: ACTIONS, donor: [], topic: ['Add'], repair: ['Add', 'Edit', 'Delete'] }, true),
  caller('guide', 'north', {
    others: ['View'],
    item: ACTIONS,
    expert: [],
    label: ['Edit'],
    part: ['View', 'Edit'],
    folder: ['View', 'Add', 'Edit'],
  }),
  caller('restorer', 'south', { others: ['View'], item: [], part: ACTIONS, repair: ACTIONS, room: ['Edit'] }, true),
  caller('typist', 'north', { others: ['Add', 'Edit', 'Delete'] }),
]
