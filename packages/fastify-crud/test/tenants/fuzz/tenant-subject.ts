import { Type } from '@sinclair/typebox'
import { defineResources, type Id, needs } from 'fastify-crud'
import { ACTIONS } from '../../../src/access/authorize.ts'
import { archive } from '../../fuzz/archive.ts'
import type { Caller } from '../../fuzz/callers.ts'
import { furnishArchive } from '../../fuzz/furnish-archive.ts'
import type { FuzzSubject } from '../../fuzz/fuzz-service.ts'

/** The tenants, by the names in the marks of what they write. */
export const FIRMS: ReadonlyMap<string, Id> = new Map(
  ['north', 'south', 'east'].map((name, index) => [name, `${index + 1}1111111-1111-4111-8111-111111111111`]),
)

/** What each table has for its tenant. */
export const FIRM = 'zq_firm'

const { descriptors } = archive
const { piece } = descriptors

/** The archive of each tenant, and something that all of them share. */
const archives = defineResources(
  {
    ...descriptors,
    piece: {
      ...piece,
      columns: { ...piece.columns, landId: 'zq_land_ref' },
      relations: { ...piece.relations, land: needs.one('land', { optional: true }) },
    },
    land: {
      table: 'zq_lands',
      columns: { name: 'zq_land_name' },
      id: 'text',
      fields: { name: Type.String() },
      tenant: false,
      public: true,
    },
    firm: {
      table: 'zq_firms',
      columns: { id: 'zq_firm_no', name: 'zq_firm_name' },
      id: 'uuid',
      fields: { name: Type.String() },
    },
  },
  { tenant: { resource: 'firm', column: FIRM } },
)

const callers = [...FIRMS.keys()].flatMap((org): Caller[] => {
  const one = { name: org, org, roles: ['appraiser'], rights: { others: ACTIONS }, isSlow: false }
  const clerk = { others: ACTIONS, person: ['Add'], note: ['View', 'Add'] } as const
  return [one, { ...one, name: `${org} clerk`, roles: [], rights: clerk, isSlow: true }]
})

export const tenantSubject: FuzzSubject = {
  resources: archives,
  callers,
  options: { tenant: (caller) => FIRMS.get((caller as Caller).org) },
  rowRules: {},
  furnish: furnishArchive,
}
