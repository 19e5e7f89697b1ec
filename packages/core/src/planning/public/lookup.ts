import { shortened } from '../../errors.ts'
import type { KeyConditionDeclaration } from '../../model/descriptors/descriptors.ts'
import type { Id } from '../../model/ids/id-kind.ts'
import type { ColumnCondition, UniqueKey } from '../../model/model.ts'
import type { Facts, Lookups } from '../decide/lookups.ts'
import { sameValue } from '../diff/changes.ts'
import { nameOf, type RelationName } from './plan.ts'

/** A question about what is in the database. Its answer decides whether a write is planned or refused: see
 * {@link Fact}. */
export type Lookup =
  /** Which of these records exist? */
  | { readonly lookup: 'existing'; readonly resource: string; readonly ids: readonly Id[] }
  /** Which records have these values of a unique key? Values have the names of properties: fields and foreign keys. */
  | {
      readonly lookup: 'holders'
      readonly resource: string
      readonly unique: readonly string[]
      /** The condition of the key, as in the descriptor; left out where the key holds for all records. */
      readonly where?: Readonly<Record<string, KeyConditionDeclaration>>
      readonly values: readonly Readonly<Record<string, unknown>>[]
    }
  /** Which records are linked to these targets? Each target may serve one. */
  | { readonly lookup: 'linked'; readonly relation: RelationName; readonly targets: readonly Id[] }
  /** How many records need these targets, besides the excepted ones, which the write deletes? */
  | {
      readonly lookup: 'needing'
      readonly relation: RelationName
      readonly targets: readonly Id[]
      readonly except: readonly Id[]
    }

/** A lookup with its answer. */
export type Fact = Answered<Lookup>

type Answered<L extends Lookup> = L extends Lookup ? L & { readonly found: Found[L['lookup']] } : never

interface Found {
  /** Those that exist. */
  existing: readonly Id[]
  /** For each of the values, the record that has them; null where there is none. */
  holders: readonly (Id | null)[]
  /** Each link. */
  linked: readonly { readonly from: Id; readonly to: Id }[]
  /** Each target that is needed. */
  needing: readonly { readonly target: Id; readonly count: number }[]
}

/** Lookups with names in place of the parts of the model. */
export function toLookups({ existing, given, holders, linkHolders, needing }: Lookups): Lookup[] {
  const lookups: Lookup[] = []
  for (const [{ key }, ids] of [...existing, ...given])
    lookups.push({ lookup: 'existing', resource: key, ids: [...ids] })
  for (const { resource, key, values } of holders) {
    const rows = values.map((one) => namedValues(key, one.values))
    const where = key.where.length === 0 ? {} : { where: declaredConditions(key) }
    lookups.push({ lookup: 'holders', resource: resource.key, unique: key.names, ...where, values: rows })
  }
  for (const [link, targets] of linkHolders) lookups.push({ lookup: 'linked', relation: nameOf(link), targets })
  for (const [relation, { targets, except }] of needing) {
    lookups.push({ lookup: 'needing', relation: nameOf(relation), targets, except })
  }
  return lookups
}

function declaredConditions({ where }: UniqueKey): Readonly<Record<string, KeyConditionDeclaration>> {
  return Object.fromEntries(where.map(({ member, is }) => [member.name, declaredCondition(is)]))
}

function declaredCondition(is: ColumnCondition): KeyConditionDeclaration {
  if (typeof is !== 'string') return is.value
  return is === 'null' ? null : { null: false }
}

function namedValues({ members }: UniqueKey, values: readonly unknown[]): Readonly<Record<string, unknown>> {
  const nameAt = (member: UniqueKey['members'][number]) =>
    member.kind === 'ownedBy' ? member.foreignKey : member.property
  return Object.fromEntries(members.map((member, index) => [nameAt(member), values[index]]))
}

/** The facts that answer these lookups, in the order of the lookups. Throws a TypeError where one is missing. */
export function answersTo(lookups: readonly Lookup[], facts: readonly Fact[]): readonly Fact[] {
  return lookups.map((lookup) => {
    const fact = facts.find(({ found: _, ...asked }) => sameValue(asked, lookup))
    const asked = shortened(JSON.stringify(lookup))
    if (fact === undefined) throw new TypeError(`facts: there is no answer to ${asked}, which planLookups asks`)
    if (!Array.isArray(fact.found) || (fact.lookup === 'holders' && fact.found.length !== fact.values.length)) {
      throw new TypeError(`facts: the answer to ${asked} must be an array, for holders with an entry for each value`)
    }
    return fact
  })
}

/** What the answers to `toLookups(lookups)` say, in the same order. */
export function toFacts(lookups: Lookups, answers: readonly Fact[]): Facts {
  const existing = answers.filter((fact) => fact.lookup === 'existing')
  const holders = answers.filter((fact) => fact.lookup === 'holders')
  const linked = answers.filter((fact) => fact.lookup === 'linked')
  const needing = answers.filter((fact) => fact.lookup === 'needing')
  return {
    existing: foundIn(lookups.existing, existing),
    given: foundIn(lookups.given, existing.slice(lookups.existing.size)),
    holders: new Map(lookups.holders.map(({ key }, index) => [key, heldBy(holders[index]?.found ?? [])])),
    // A model of descriptors alone has no rules.
    existingForRules: new Map(),
    forbidden: [],
    linkHolders: new Map(
      [...lookups.linkHolders.keys()].map((link, index) => [link, servedBy(linked[index]?.found ?? [])]),
    ),
    needing: new Map(
      [...lookups.needing.keys()].map((relation, index) => [
        relation,
        new Map(needing[index]?.found.map(({ target, count }) => [target, { count, shown: count }])),
      ]),
    ),
  }
}

function foundIn(
  asked: Lookups['existing'],
  answers: readonly Answered<Lookup & { readonly lookup: 'existing' }>[],
): Facts['existing'] {
  return new Map([...asked.keys()].map((resource, index) => [resource, new Set(answers[index]?.found)]))
}

/** The holders by the index of what they hold. */
function heldBy(found: Found['holders']): ReadonlyMap<number, Id> {
  const held = new Map<number, Id>()
  for (const [index, id] of found.entries()) if (id !== null) held.set(index, id)
  return held
}

/** Target id → the ids of the records that it serves. */
function servedBy(found: Found['linked']): ReadonlyMap<Id, readonly Id[]> {
  const served = new Map<Id, Id[]>()
  for (const { from, to } of found) served.set(to, [...(served.get(to) ?? []), from])
  return served
}
