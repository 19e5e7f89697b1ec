import type { BodyProblem } from '../../errors.ts'
import type { Draft } from '../../plan/body/draft.ts'
import { pointerTo } from '../../plan/body/pointer.ts'
import type { Digits, LearnedTypes } from '../../query/dialect/postgres/learned-types.ts'

/**
 * The decimals of a body for which their columns have too few digits: PostgreSQL rounds what is behind the point, in silence. What only
 * the database knows, no schema says.
 */
export function lostDigits(types: LearnedTypes, draft: Draft, problems: BodyProblem[] = []): readonly BodyProblem[] {
  const { resource, values, owned, pointer } = draft
  for (const field of resource.fields) {
    const value = values[field.position]
    const digits = typeof value === 'string' ? types.digitsOf(field) : undefined
    if (digits === undefined || fits(value as string, digits)) continue
    problems.push({
      pointer: pointerTo(pointer, field.property),
      message: messageFor(digits),
      keyword: 'digits',
      params: { ...digits },
    })
  }
  for (const one of owned.flat()) if (one) lostDigits(types, one, problems)
  return problems
}

/** Zeros at either end are not lost. */
function fits(decimal: string, { before, behind }: Digits): boolean {
  const [whole = '', fraction = ''] = decimal.replace('-', '').split('.')
  return whole.replace(/^0/, '').length <= before && !/[1-9]/.test(fraction.slice(behind))
}

function messageFor({ before, behind }: Digits): string {
  return `must have at most ${before} digits before the point and ${behind} behind it`
}
