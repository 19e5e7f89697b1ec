import type { Descriptors } from 'fastify-crud'
import { databases } from '../../../../test/support/databases.ts'
import { inTenants } from '../property/in-tenants.ts'
import { type Access, policiesIn } from '../property/policy-spec.ts'
import { Reference } from '../property/reference.ts'
import type { Request } from '../property/reference-answer.ts'
import { resourceAt } from '../property/reference-path.ts'
import type { State } from '../property/reference-store.ts'
import { type Setting, Side } from '../property/side.ts'
import { compareStep } from './compare-step.ts'
import { withComputedValues } from './computed-values.ts'
import type { Feature } from './features.ts'
import { choosable, sideIdsOf, withOrderedIds } from './ordered-ids.ts'
import { ReadingDifference } from './reading-difference.ts'
import { type ReadingModel, readingModelOf } from './reading-model.ts'
import type { ReadingStep } from './reading-step.ts'

/** A model, the requests that make its records, and what is asked of them. */
export interface ReadingCase {
  readonly descriptors: Descriptors
  readonly setting: Setting
  readonly access: Access | undefined
  /** What the service has. */
  readonly features: ReadonlySet<Feature>
  readonly requests: readonly Request[]
  readonly steps: readonly ReadingStep[]
}

/** The fields and the records that a caller sees. */
export interface Seen {
  readonly model: ReadingModel
  readonly state: State
}

/** What is asked next, of what a caller sees; undefined if nothing is. */
export type NextStep = (seenBy: (caller: number | undefined) => Seen, index: number) => ReadingStep | undefined

/** How often something was answered. */
export type Counts = Map<string, number>

/**
 * Stores the records on both databases, then asks them and the reference the same, and compares what is answered.
 *
 * @throws ReadingDifference
 */
export async function runReading(
  { descriptors, setting, access: given, features, requests }: Omit<ReadingCase, 'steps'>,
  next: NextStep,
  counts: Counts = new Map(),
): Promise<void> {
  const { ids = 0, tenants } = setting
  const hasTenants = tenants !== undefined
  const { records, idsOf } = readingModelOf(descriptors, undefined, ids)
  const kindOf = hasTenants ? choosable(idsOf) : idsOf
  const resources = inTenants(withOrderedIds(descriptors, kindOf), hasTenants)
  const access = given && { ...given, policies: policiesIn(records, given.policies) }
  const reference = new Reference(records, access)
  const sides: Side[] = []
  const others: Side[] = []
  try {
    for (const database of databases) {
      const [side, other] = await Side.open(database, resources, records, access, setting, sideIdsOf(kindOf))
      if (side !== undefined) sides.push(side)
      if (other !== undefined) others.push(other)
    }
    for (const request of requests) await store(reference, sides, request)
    // Another tenant has many of these records, too, with the same ids.
    const otherReference = new Reference(records, access)
    const also = hasTenants ? requests.filter((_, index) => index % 3 !== 2) : []
    for (const request of also) await store(otherReference, others, request)
    const lengths = new Map(sides.map((side) => [side, side.log.length]))
    const known = new Map<number | undefined, Seen>()
    const seenBy = (caller: number | undefined): Seen => {
      const roles = caller === undefined ? undefined : access?.callers[caller]?.roles
      const seen = known.get(caller) ?? seenWith(readingModelOf(descriptors, roles, ids), reference, caller)
      known.set(caller, seen)
      return seen
    }
    for (let index = 0; ; index += 1) {
      const step = next(seenBy, index)
      if (step === undefined) return
      const told = await compareStep({ ...seenBy(step.caller), setting, features }, sides, step)
      counts.set(told, (counts.get(told) ?? 0) + 1)
      // What was answered rightly is not told with a difference.
      for (const [side, length] of lengths) side.log.length = length
    }
  } finally {
    await Promise.all(sides.map((side) => side.close()))
  }
}

function seenWith(model: ReadingModel, reference: Reference, caller: number | undefined): Seen {
  return { model, state: withComputedValues(model, reference.state, reference.seenBy(caller)) }
}

/** @throws ReadingDifference if a record is not stored as the reference has it. */
async function store(reference: Reference, sides: readonly Side[], request: Request): Promise<void> {
  const { status } = reference.send(request)
  const { key } = resourceAt(reference.model, request.address)
  const id = Number(request.address.id)
  for (const side of sides) {
    const answer = await side.send(reference.model, request)
    if (answer.status !== status) throw new ReadingDifference(side, `expected ${status} for a record`)
    if (status === 201) side.ids.pair(key, id, side.ids.toSide(key, id))
  }
}
