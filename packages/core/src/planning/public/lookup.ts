import { shortened } from '../../errors.ts'
import type { KeyConditionDeclaration } from '../../model/descriptors/descriptors.ts'
import type { Id } from '../../model/ids/id-kind.ts'
import type { ColumnCondition, Resource, UniqueKey } from '../../model/model.ts'
import { type Facts, type Lookups, type MutableFacts, newFacts } from '../decide/lookups.ts'
import { sameValue } from '../diff/changes.ts'
import { groupBy } from '../rows.ts'
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
  /** Which elements have the arrays of these records, that keep their order? */
  | { readonly lookup: 'siblings'; readonly relation: RelationName; readonly owners: readonly Id[] }
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
  /** Each element, in the order of its array: by its number, then by its id. */
  siblings: readonly { readonly owner: Id; readonly id: Id; readonly number: number | null }[]
  /** Each target that is needed. */
  needing: readonly { readonly target: Id; readonly count: number }[]
}

/** A lookup with names in place of the parts of the model, and what its answer says of these. */
export interface NamedLookup {
  readonly lookup: Lookup
  note(facts: MutableFacts, found: Fact['found']): void
}

export function namedLookups({
  existing,
  given,
  holders,
  linkHolders,
  siblings,
  needing,
}: Lookups): readonly NamedLookup[] {
  const lookUpIds =
    (fact: 'existing' | 'given') =>
    ([resource, ids]: readonly [Resource, ReadonlySet<Id>]) =>
      named({ lookup: 'existing', resource: resource.key, ids: [...ids] }, (facts, found: Found['existing']) =>
        facts[fact].set(resource, new Set(found)),
      )
  return [
    ...[...existing].map(lookUpIds('existing')),
    ...[...given].map(lookUpIds('given')),
    ...holders.map(({ resource, key, values }) => {
      const rows = values.map((one) => namedValues(key, one.values))
      const where = key.where.length === 0 ? {} : { where: declaredConditions(key) }
      return named(
        { lookup: 'holders', resource: resource.key, unique: key.names, ...where, values: rows },
        (facts, found: Found['holders']) => {
          const held = [...found.entries()].filter((one): one is [number, Id] => one[1] !== null)
          facts.holders.set(key, new Map(held))
        },
      )
    }),
    ...[...linkHolders].map(([link, targets]) =>
      named({ lookup: 'linked', relation: nameOf(link), targets }, (facts, found: Found['linked']) => {
        const served = groupBy(found, ({ to }) => to).map(([to, links]) => [to, links.map(({ from }) => from)] as const)
        facts.linkHolders.set(link, new Map(served))
      }),
    ),
    ...siblings.map(({ array, owners }) =>
      named({ lookup: 'siblings', relation: nameOf(array), owners }, (facts, found: Found['siblings']) => {
        const elements = found.map((one) => ({ ...one, isVisible: true, isDeleted: false }))
        const byOwner = Map.groupBy(elements, ({ owner }) => owner)
        facts.siblings.set(array, new Map([...(facts.siblings.get(array) ?? []), ...byOwner]))
      }),
    ),
    ...[...needing].map(([relation, { targets, except }]) =>
      named({ lookup: 'needing', relation: nameOf(relation), targets, except }, (facts, found: Found['needing']) =>
        facts.needing.set(relation, new Map(found.map(({ target, count }) => [target, { count, shown: count }]))),
      ),
    ),
  ]
}

function named<L extends Lookup>(
  lookup: L,
  note: (facts: MutableFacts, found: Found[L['lookup']]) => void,
): NamedLookup {
  return { lookup, note: note as NamedLookup['note'] }
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

/** What the answers to these lookups say, in the same order. A model of descriptors alone has no rules, and no
 * policies. */
export function toFacts(lookups: readonly NamedLookup[], answers: readonly Fact[]): Facts {
  const facts = newFacts()
  for (const [index, { note }] of lookups.entries()) note(facts, (answers[index] as Fact).found)
  return facts
}
