import { ACTIONS } from '../../src/access/authorize.ts'
import type { Caller } from './callers.ts'

function caller(name: string, org: Caller['org'], roles: readonly string[], more: Partial<Caller> = {}): Caller {
  return { name, org, roles, rights: { others: ACTIONS }, isSlow: false, ...more }
}

const northern = caller('northern', 'north', ['member', 'editor', 'appraiser'])
const southern = caller('southern', 'south', ['member', 'editor', 'appraiser'])

/** Those who send requests to a service over `archive.ts`. No two of them see the same. */
export const archiveCallers: readonly Caller[] = [
  northern,
  southern,
  northern,
  southern,
  caller('helper', 'north', ['member']),
  caller('sender', 'south', ['sender', 'member']),
  caller('giver', 'south', ['sender'], { isSlow: true }),
  caller('auditor', 'south', ['auditor', 'member']),
  caller('inspector', 'north', ['auditor']),
  caller('stranger', 'north', []),
  caller('clerk', 'south', ['member', 'editor'], {
    isSlow: true,
    rights: { others: ACTIONS, person: ['Add'], note: ['View', 'Add'], stamp: [] },
  }),
]
