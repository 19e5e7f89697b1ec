import type { Refusing } from '../rule-types.ts'

/**
 * Gets an error of the database that ends a write: of a trigger, a check, a constraint that the model does not know. It may report it in
 * the application's own words. If it does not, the answer has a neutral text. It may be asynchronous.
 *
 * `error` is the driver's, and clients see nothing of it. It does not get errors after which another attempt succeeded, lost connections,
 * time-outs, and missing rights.
 *
 * @example
 * const errors: ErrorsOption = (error, { refuse }) => {
 *   if (String(error).includes('credit limit')) refuse('the customer has no credit left')
 * }
 */
export type ErrorsOption = (error: unknown, refusing: RefusingError) => unknown

/** The ways to report an error. Of a row that the caller may not see, the answer has neither pointer nor text. */
export interface RefusingError extends Refusing {
  /** The key of the resource whose row was refused, or else of the request's own. */
  readonly resource: string
}

/** Throws a TypeError unless it is a function or left out. */
export function checkErrorsOption(errors: unknown): void {
  if (errors !== undefined && typeof errors !== 'function') throw new TypeError('errors: must be a function')
}
