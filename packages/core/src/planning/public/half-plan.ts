import { invalid, type Refusal } from '../../errors.ts'
import { lookupsOf } from '../decide/lookups.ts'
import type { Diff } from '../diff/diff.ts'
import { sameValue } from '../diff/same-value.ts'
import type { RowId } from '../rows.ts'
import { answersTo, type Fact, type Lookup, toFacts, toLookups } from './lookup.ts'
import { decide, type Outcome, toOutcome } from './outcome.ts'

/** A write as far as it is known before its lookups are answered: it is refused already, or it waits for the facts. */
export type HalfPlan = { readonly refusal: Refusal } | Waiting

interface Waiting {
  readonly lookups: readonly Lookup[]
  /** Throws a TypeError where a fact is missing: without it, a write that is refused could be planned. */
  decide(facts: readonly Fact[]): Outcome
}

/** Something that has to be there for the write, or must not be there. */
export interface Condition {
  readonly lookup: Lookup & { readonly lookup: 'existing' | 'holders' }
  readonly isMetIfFound: boolean
  readonly refusal: Refusal
}

/** The conditions come first: their refusals do. */
export function halfPlan(diff: Diff, results: readonly RowId[], conditions: readonly Condition[] = []): HalfPlan {
  if (diff.problems.length > 0) return { refusal: invalid(diff.problems) }
  if (diff.required !== undefined) return { refusal: diff.required }
  const lookups = lookupsOf(diff)
  const ofConditions = conditions.map(({ lookup }) => lookup)
  const ofChanges = toLookups(lookups)
  return {
    lookups: [...ofConditions, ...ofChanges.filter((one) => !ofConditions.some((other) => sameValue(one, other)))],
    decide(facts) {
      const answers = answersTo(ofConditions, facts)
      const unmet = conditions.find(({ isMetIfFound }, index) => isFound(answers[index]) !== isMetIfFound)
      if (unmet !== undefined) return { refusal: unmet.refusal }
      return toOutcome(decide(diff, results, toFacts(lookups, answersTo(ofChanges, facts)), lookups))
    },
  }
}

function isFound(answer: Fact | undefined): boolean {
  return answer?.found.some((one) => one !== null) ?? false
}

export function outcomeOf(half: HalfPlan, facts: readonly Fact[] = []): Outcome {
  return 'refusal' in half ? half : half.decide(facts)
}
