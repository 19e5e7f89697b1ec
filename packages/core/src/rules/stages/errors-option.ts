import type { Refusing } from '../rule-types.ts'

/**
 * Is told of an error of the database's that ends a write: a trigger, a check, a constraint that the model does not know. It may say so in
 * the application's own words. If it says nothing, the answer is a neutral one. It may be asynchronous.
 *
 * `error` is the driver's, and clients see nothing of it. It is not told of what was tried again with success, of lost connections, of
 * time-outs, and of missing rights.
 *
 * @example
 * const errors: ErrorsOption = (error, { refuse }) => {
 *   if (String(error).includes('credit limit')) refuse('the customer has no credit left')
 * }
 */
export type ErrorsOption = (error: unknown, refusing: RefusingError) => unknown

/** The ways to say what an error means. Of a row that the caller may not see, nothing is said whatever the words are. */
export interface RefusingError extends Refusing {
  /** The key of the resource whose row was refused, or else of the request's own. */
  readonly resource: string
}

/** Throws a TypeError for what cannot be asked. */
export function checkErrorsOption(errors: unknown): void {
  if (errors !== undefined && typeof errors !== 'function') throw new TypeError('errors: must be a function')
}
