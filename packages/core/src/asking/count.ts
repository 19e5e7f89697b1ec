/** How the records of a list are counted: all of them, not at all, or as many as a number says. */
export type Count = 'exact' | 'none' | number

/** Whether a value is one of the ways to count. */
export function isCount(value: unknown): value is Count {
  return value === 'exact' || value === 'none' || (Number.isSafeInteger(value) && (value as number) >= 1)
}

/** The message for any other value. */
export const COUNT_PROBLEM = "must be 'exact', 'none' or an integer from 1"

/** Ways to count with equal shapes differ only in the number. */
export function countShape(count: Count): string {
  return typeof count === 'number' ? 'some' : count
}
