import type { Rights } from '../../asking/policies/rights.ts'
import { invalid, onlyRead, type Refusal, withArticle } from '../../errors.ts'
import type { Id } from '../../model/ids/id-kind.ts'
import type { Link, Owns, Resource } from '../../model/model.ts'
import { whyUnwritten } from '../../model/operations.ts'
import { askedAgain } from '../decide/asked-again.ts'
import { type GuardedRows, guardedAfter, type OwnRecords } from '../decide/guarded-rows.ts'
import { uniqueChanges } from '../decide/handed-on.ts'
import { type Facts, type Lookups, lookupsOf } from '../decide/lookups.ts'
import { withNumbers } from '../decide/numbering.ts'
import type { Permit } from '../decide/planned-actions.ts'
import { refusalOfChanges } from '../decide/refusal-of-changes.ts'
import { type Changes, sameValue } from '../diff/changes.ts'
import type { Diff } from '../diff/diff.ts'
import { order } from '../order/order.ts'
import { AT_ONCE, type OrderedChanges, type WritingRows } from '../order/ordered.ts'
import { type RecordData, type RecordOwner, type RowId, rowMembers } from '../rows.ts'
import { answersTo, type Fact, type Lookup, namedLookups, toFacts } from './lookup.ts'
import { type Plan, toPlan } from './plan.ts'

/** A plan, or why there is none. */
export type Outcome = { readonly plan: Plan } | { readonly refusal: Refusal }

/** The changes in their order, or why they may not be made. */
type Decision = Decided | { readonly refusal: Refusal }

export interface Decided {
  readonly ordered: OrderedChanges
  /** What is ordered. */
  readonly changes: Changes
  /** The rows that policies are asked about when they are stored. */
  readonly guarded: readonly GuardedRows[]
}

/** What is to be regarded besides the changes. */
interface Regarding {
  readonly writing: WritingRows
  /** Default: everything. */
  readonly permit?: Permit | undefined
  /** What policies let the caller do. Default: everything. */
  readonly rights?: Rights | undefined
  readonly own?: OwnRecords | undefined
  /** While the write is under way, others may take away what it was allowed. Default: false. */
  readonly othersMayWrite?: boolean | undefined
}

/** Decides on changes, given the answers to what had to be looked up. Throws what `permit` throws. */
export function decide(
  diff: Diff,
  results: readonly RowId[],
  facts: Facts,
  lookups: Lookups = lookupsOf(diff),
  { writing, permit, rights, own, othersMayWrite = false }: Regarding = ALL_ALLOWED,
): Decision {
  const { changes, unknown } = numberedIn(diff, facts)
  const arranged = unknown.length === 0 ? diff : { ...diff, unknown: [...diff.unknown, ...unknown] }
  const refusal = refusalOfChanges(arranged, lookups, facts, permit, rights)
  if (refusal !== undefined) return { refusal }
  const once = rights === undefined ? [] : guardedAfter(diff, rights, own)
  const asksAgain = rights !== undefined && own !== undefined && othersMayWrite
  const guarded = asksAgain ? [...once, ...askedAgain(diff, lookups.existing, rights, own)] : once
  return { ordered: order(changes, uniqueChanges(lookups, facts), results, writing), changes, guarded }
}

function numberedIn({ changes, hidden }: Diff, { siblings }: Facts): ReturnType<typeof withNumbers> {
  return changes.arranged === undefined ? { changes, unknown: [] } : withNumbers(changes, siblings, hidden)
}

const ALL_ALLOWED: Regarding = { writing: AT_ONCE }

function toOutcome(decision: Decision): Outcome {
  return 'refusal' in decision ? decision : { plan: toPlan(decision.ordered) }
}

/** A write as far as it is known before its lookups are answered: it is refused already, or it waits for the facts. */
export type HalfPlan = { readonly refusal: Refusal } | Waiting

interface Waiting {
  readonly lookups: readonly Lookup[]
  /** Throws a TypeError where a fact is missing: without it, a write that is refused could be planned. */
  decide(facts: readonly Fact[]): Outcome
}

/** Something that has to be there for the write, or must not be there. */
export interface WriteCondition {
  readonly lookup: Lookup & { readonly lookup: 'existing' | 'holders' }
  readonly isMetIfFound: boolean
  readonly refusal: Refusal
}

/** The conditions come first: their refusals do. */
export function halfPlan(diff: Diff, results: readonly RowId[], conditions: readonly WriteCondition[] = []): HalfPlan {
  if (diff.problems.length > 0) return { refusal: invalid(diff.problems) }
  if (diff.required !== undefined) return { refusal: diff.required }
  const lookups = lookupsOf(diff)
  const ofConditions = conditions.map(({ lookup }) => lookup)
  const named = namedLookups(lookups)
  const ofChanges = named.map(({ lookup }) => lookup)
  return {
    lookups: [...ofConditions, ...ofChanges.filter((one) => !ofConditions.some((other) => sameValue(one, other)))],
    decide(facts) {
      const answers = answersTo(ofConditions, facts)
      const unmet = conditions.find(({ isMetIfFound }, index) => isFound(answers[index]) !== isMetIfFound)
      if (unmet !== undefined) return { refusal: unmet.refusal }
      return toOutcome(decide(diff, results, toFacts(named, answersTo(ofChanges, facts)), lookups))
    },
  }
}

function isFound(answer: Fact | undefined): boolean {
  return answer?.found.some((one) => one !== null) ?? false
}

export function outcomeOf(half: HalfPlan, facts: readonly Fact[] = []): Outcome {
  return 'refusal' in half ? half : half.decide(facts)
}

/** The owner of a record: the `ownedBy` relation of the record, and the owner's id. */
export interface Owner {
  readonly relation: string
  readonly id: Id
}

/** Throws a TypeError where the resource has no such relation, or where its records must have an owner and there is
 * none. */
export function ownerOf({ key, ownedBy, isRoot }: Resource, owner: Owner | undefined): RecordOwner | undefined {
  if (owner === undefined && isRoot) return undefined
  const by = ownedBy.find(({ name }) => name === owner?.relation)
  if (owner !== undefined && by !== undefined) return { by, id: owner.id }
  const names = ownedBy.map(({ name }) => `'${name}'`).join(' or ')
  if (owner === undefined) throw new TypeError(`owner: ${withArticle(key)} has an owner, through ${names}; give its id`)
  const through = names === '' ? 'it has no owner' : `its owner is named by ${names}`
  throw new TypeError(`owner: ${withArticle(key)} has no ownedBy relation '${owner.relation}'; ${through}`)
}

/** Why records are not written whatever the request is; undefined if they are. */
export function refusalOfReadOnly(resource: Resource): Refusal | undefined {
  return resource.isWritable ? undefined : onlyRead(resource.key, whyUnwritten(resource))
}

/**
 * Throws a TypeError that names the first relation or field which a current record lacks, or one of the records that it
 * owns. What is missing would look as if the database had none of it.
 *
 * `besides`: the relations of which something is to be known besides those that a record carries by default. `'ids'`: a
 * DELETE needs only the ids of the record and of what it owns.
 */
export function checkRecord(resource: Resource, record: RecordData, besides: ReadonlySet<Owns | Link> | 'ids'): void {
  const isDelete = besides === 'ids'
  const isNeeded = (relation: Owns | Link) => isDelete || relation.carried || besides.has(relation)
  // Does not recurse: a tree may be deep.
  const open: [Resource, unknown, string][] = [[resource, record, 'record']]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [of, one, where] = next
    if (typeof one !== 'object' || one === null || Array.isArray(one)) throw unlike(`${where} is not an object`, of)
    const values = one as Readonly<Record<string, unknown>>
    const lacks = (name: string, carried = true) => unlike(`${where} lacks '${name}'`, of, carried)
    if (values.id === undefined) throw lacks('id')
    for (const member of isDelete ? [] : rowMembers(of)) {
      const isWriteOnly = member.kind === 'field' && member.writeOnly
      if (!isWriteOnly && values[member.property] === undefined) throw lacks(member.property)
    }
    for (const link of isDelete ? [] : of.links.filter(isNeeded)) {
      if (!Array.isArray(values[link.name])) throw lacks(link.name, link.carried)
    }
    for (const owns of of.owns) {
      // A write may remove a record that another one owns, and then all that it owns itself has to be known.
      if (one === record && !isNeeded(owns)) continue
      const { name, many, target, carried } = owns
      const owned = values[name]
      if (many) {
        if (!Array.isArray(owned)) throw lacks(name, carried)
        for (const [index, child] of owned.entries()) open.push([target, child, `${where}.${name}[${index}]`])
      } else {
        if (owned === undefined) throw lacks(name, carried)
        if (owned !== null) open.push([target, owned, `${where}.${name}`])
      }
    }
  }
}

function unlike(problem: string, { key }: Resource, carried = true): TypeError {
  return new TypeError(`${problem}; give the ${key} ${carried ? 'as GET returns it' : 'with it'}`)
}
