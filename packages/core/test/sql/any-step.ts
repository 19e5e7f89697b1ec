import fc from 'fast-check'
import type { Resource } from '../../src/model/model.ts'
import { type NewIds, NO_NEW_IDS } from '../../src/planning/order/new-ids.ts'
import type { OrderedStep } from '../../src/planning/order/ordered.ts'
import type { MemberValues } from '../../src/planning/rows.ts'
import { resources } from './any-model.ts'

/** Seldom many: they travel in one parameter. */
export const anyIds = fc.constantFrom(
  [1],
  [1, 2],
  [1, 2, 3],
  Array.from({ length: 20 }, (_, index) => index),
)

export const anyResource = fc.constantFrom(...resources)
export const links = resources.flatMap((resource) => resource.links)
export const references = resources.flatMap((resource) => resource.references)
const anyLink = fc.constantFrom(...links)
const anyReference = fc.constantFrom(...references)

/** Values for some of a resource's members. Among the last ones of many, too, so that their set does not fit into a number. */
export function valuesFor({ members }: Resource): fc.Arbitrary<MemberValues> {
  const changing = new Set([0, 1, 2, members.length - 2, members.length - 1])
  return fc
    .tuple(...members.map((_, index) => (changing.has(index) ? fc.boolean() : fc.constant(false))))
    .map((given) => given.map((isGiven) => (isGiven ? 1 : undefined)))
}

const anyUpdate = anyResource.chain((resource) =>
  fc.record({
    step: fc.constantFrom('park' as const, 'update' as const),
    resource: fc.constant(resource),
    rows: fc
      .tuple(anyIds, valuesFor(resource), valuesFor(resource), fc.boolean())
      .map(([ids, values, others, isMixed]) =>
        ids.map((id, index) => ({ id, values: isMixed && index > 0 ? others : values, pointer: '' })),
      ),
  }),
)

/** The owner of a new row is stored, or a new row as well: that of number 99. */
const anyInsert = anyResource.chain((resource) =>
  fc.record({
    step: fc.constant('insert' as const),
    resource: fc.constant(resource),
    rows: fc
      .tuple(
        fc.constantFrom(1, 2, 60),
        valuesFor(resource),
        fc.constantFrom(undefined, ...resource.ownedBy),
        fc.boolean(),
      )
      .map(([count, values, by, isBelowNew]) =>
        Array.from({ length: count }, (_, index) => ({
          resource,
          row: { new: index },
          id: undefined,
          shortId: undefined,
          idPointer: '',
          owner: by && { by, id: isBelowNew ? { new: 99 } : 7 },
          values,
          pointer: '',
        })),
      ),
  }),
)

export const anyStep: fc.Arbitrary<OrderedStep> = fc.oneof(
  anyUpdate,
  anyInsert,
  fc.record({ step: fc.constant('delete' as const), resource: anyResource, ids: anyIds }),
  fc.record({ step: fc.constantFrom('clear' as const, 'release' as const), relation: anyReference, ids: anyIds }),
  fc.record({
    step: fc.constant('unlinkAll' as const),
    relation: anyLink,
    side: fc.constantFrom('from' as const, 'to' as const),
    ids: anyIds,
  }),
  fc.tuple(anyLink, fc.boolean()).map(([link, isOfNew]) => ({
    step: 'link' as const,
    relation: link,
    pairs: [{ link, from: isOfNew ? { new: 99 } : 1, to: 2, pointer: '' }],
  })),
  anyLink.map((link) => ({
    step: 'unlink' as const,
    relation: link,
    pairs: [{ link, from: 1, to: 2, pointer: '' }],
  })),
)

const anyResources = fc.subarray(resources)

export const anyNewIds: fc.Arbitrary<NewIds> = fc
  .tuple(anyResources, anyResources, anyResources, fc.boolean())
  .map(([assigned, kept, explicit, areKnown]) => ({
    ...NO_NEW_IDS,
    ids: Array.from({ length: 100 }, () => (areKnown ? 5 : undefined)),
    assignedByInsert: new Map(assigned.map((resource) => [resource, 0])),
    keptByTransaction: new Set(kept),
    withExplicitIds: new Set(explicit),
  }))
