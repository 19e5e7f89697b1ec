import { type TSchema, Type } from '@sinclair/typebox'
import type { Descriptors, IdDeclaration, ResourceDescriptor } from 'fastify-crud'
import { v7 } from 'uuid'

/** The ids of a resource on one side. The reference has integers in their place. */
export interface SideIds {
  readonly id: IdDeclaration
  /** What only this side's records have: parts of their ids. */
  readonly fields: Readonly<Record<string, TSchema>>
  /** An id that no record has, for one of the reference that no record ever had. It is behind all that there are. */
  unknown(id: number): number | string
  /** Whether bodies have the ids of new records. */
  readonly isGiven: boolean
  /** What ids are of records that have one owner. */
  readonly below: 'ids of their own' | 'ids below the owner' | "the owner's ids"
  /** A text that is no id, for one that is no integer. */
  malformed(text: string): string
}

const OWN = {
  fields: {},
  isGiven: false,
  below: 'ids of their own',
  malformed: (text: string) => text,
} as const

export const INTEGER: SideIds = { ...OWN, id: 'integer', unknown: (id) => id }

let made = 100_000

function next(): number {
  made += 1
  return made
}

const uuids = (id: IdDeclaration): SideIds => ({ ...OWN, id, unknown: () => v7() })

/** A text can be nearly anything. */
const noText = (text: string) => `\u0000${text}`

const texts = (others: Pick<SideIds, 'id' | 'isGiven'>): SideIds => ({
  ...OWN,
  malformed: noText,
  unknown: () => `é ${next()}`,
  ...others,
})

const OF_THEIR_OWN: readonly SideIds[] = [
  INTEGER,
  { ...OWN, id: 'bigint', unknown: String },
  uuids('uuid'),
  texts({ id: 'text', isGiven: true }),
  uuids({ kind: 'uuid', stored: 'hex' }),
  texts({ id: { kind: 'text', assign: () => `é ${next()}` }, isGiven: false }),
  { ...OWN, id: { kind: 'bigint', assign: 'client' }, isGiven: true, unknown: () => String(next()) },
  uuids({ kind: 'uuid', stored: 'upper' }),
  { ...OWN, id: { kind: 'integer', assign: 'client' }, isGiven: true, unknown: next },
]

/** Whether the database counts the ids. */
export function isCounted({ id, below }: SideIds): boolean {
  return below === 'ids of their own' && (id === 'integer' || id === 'bigint')
}

const PARTS = { partNumber: Type.Integer(), partText: Type.String() }

/** Ids that have the owner's as a part. */
function partsBelow(owner: string, variant: number): SideIds {
  const common = { ...OWN, isGiven: true, below: 'ids below the owner' } as const
  if (variant % 2 === 0) {
    const { partNumber } = PARTS
    return { ...common, id: ['partNumber', owner], fields: { partNumber }, unknown: next }
  }
  return { ...common, id: [owner, 'partNumber', 'partText'], fields: PARTS, unknown: () => `${next()},a~1b` }
}

/** The kind of each resource's ids. 0: integers for all; any other number mixes the kinds. */
export function idKindsOf(descriptors: Descriptors, ids: number): (resource: string) => SideIds {
  const keys = Object.keys(descriptors)
  const kindOf = (resource: string): SideIds => {
    if (ids === 0) return INTEGER
    const number = ids + keys.indexOf(resource)
    // At the top, such ids have the owner's as a part, and an order that the reference does not know.
    const isTop = descriptors[resource]?.topLevel === true
    const owner = number % 3 === 0 && !isTop ? onlyOwner(descriptors, resource) : undefined
    if (owner !== undefined && !isNamed(descriptors, resource)) return partsBelow(owner.name, ids)
    if (owner !== undefined && !owner.many)
      return { ...kindOf(owner.target), id: [owner.name], fields: {}, isGiven: false, below: "the owner's ids" }
    return OF_THEIR_OWN[(number * 7) % OF_THEIR_OWN.length] as SideIds
  }
  return kindOf
}

interface OnlyOwner {
  readonly name: string
  readonly target: string
  readonly many: boolean
}

function relationsOf(descriptor: ResourceDescriptor | undefined) {
  return Object.entries(descriptor?.relations ?? {}).map(([name, relation]) => ({ name, ...relation }))
}

/** The owner of all records of a resource, if they have the same one. */
export function onlyOwner(descriptors: Descriptors, key: string): OnlyOwner | undefined {
  const [first, ...others] = relationsOf(descriptors[key]).filter(({ relation }) => relation === 'ownedBy')
  if (first === undefined || others.length > 0 || first.target === key) return undefined
  if ('optional' in first.options && first.options.optional === true) return undefined
  const owns = relationsOf(descriptors[first.target]).filter(({ target }) => target === key)
  return { name: first.name, target: first.target, many: owns.some(({ relation }) => relation === 'owns.many') }
}

/** Whether other records name those of a resource, or are owned by them, or linked to them. */
export function isNamed(descriptors: Descriptors, key: string): boolean {
  const own = relationsOf(descriptors[key]).some(
    ({ relation }) => !['ownedBy', 'needs.one', 'knows.one'].includes(relation),
  )
  const others = Object.values(descriptors).flatMap(relationsOf)
  return own || others.some(({ relation, target }) => target === key && !relation.startsWith('owns.'))
}

export function withIdKinds(descriptors: Descriptors, ids: number): Descriptors {
  if (ids === 0) return descriptors
  const kindOf = idKindsOf(descriptors, ids)
  return Object.fromEntries(
    Object.entries(descriptors).map(([key, one]): [string, ResourceDescriptor] => {
      const { id, fields, below } = kindOf(key)
      if (below === 'ids of their own') return [key, { ...one, id }]
      const { id: _, ...columns } = one.columns ?? {}
      return [key, { ...one, id, fields: { ...one.fields, ...fields }, columns }]
    }),
  )
}
