import { type BodyProblem, invalid, notUnique, type Refusal, refused, stillNeeded } from '../errors.ts'
import { databaseErrorKind } from '../session/database-errors.ts'
import type { Doing } from './step-error.ts'

/** Whether the tables cannot do a swap of unique values: there is no room for temporary ones, or they are in use. */
export function isSwap(doing: Doing | undefined, error: unknown): boolean {
  const kind = databaseErrorKind(error)
  return (
    (doing === 'park' && (kind === 'value' || kind === 'check' || kind === 'unique')) ||
    (doing === 'swap' && kind === 'unique')
  )
}

/** What the client is told of a constraint that only the database knows; undefined if it was not one. `pointers`: where it is. */
export function databaseRefusal(error: unknown, doing: Doing, pointers: readonly string[]): Refusal | undefined {
  const at = (message: string, keyword: string): BodyProblem[] =>
    pointers.map((pointer) => ({ pointer, message, keyword }))
  const kind = databaseErrorKind(error)
  if (isSwap(doing, error)) {
    const message =
      'has a unique value that another record of this request still holds; this table cannot swap them in one request'
    return notUnique(message, at(message, 'unique'))
  }
  switch (kind) {
    case 'unique':
      return notUnique('a value that must be unique is taken', at('a value that must be unique is taken', 'unique'))
    case 'foreignKey':
      if (doing === 'remove')
        return stillNeeded('it is still needed by other records', at('is still needed by other records', 'stillNeeded'))
      // The plan has found all records that the model's own references name.
      return refused(pointers)
    case 'value':
      return invalid(at('has a value that the database does not accept', 'database'))
    case 'check':
    case 'refused':
      return refused(pointers)
    case 'incomparable':
    case 'forbidden':
    case 'busy':
    case 'timeout':
    case 'poolFull':
    case 'unconnected':
    case 'serverFull':
    case 'stale':
    case 'outdated':
    case 'disconnected':
    case 'unavailable':
    case 'unsupported':
    case 'tooLarge':
    case 'tooDeep':
    case 'other':
      return undefined
  }
}
