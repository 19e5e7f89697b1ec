import type { Runner } from '../query/prepare.ts'
import { atOnce } from './promise-or-value.ts'
import { isBusy, runPlain, tryPlain } from './transaction.ts'

/** SQLite: keeps nobody from writing until it writes itself, which fails as busy if others have written since it first read. */
const BEGIN_READING = 'begin'

/**
 * Looks, and does what follows from that in the same transaction, of a SQLite that does each statement at once. Where that may
 * not write as others have done so since the look, or are about to, all of it is done again behind them. What SQLite has waited
 * for itself, at the first read or at the commit, is not.
 */
export function inReadingTransaction<Seen, Result>(
  on: Runner,
  begin: string,
  look: () => Seen,
  work: (seen: Seen) => Result,
): Result {
  let isWorking = false

  function attempt(beginning: string): Result {
    atOnce(runPlain(on, beginning))
    try {
      const seen = look()
      isWorking = true
      const result = work(seen)
      isWorking = false
      atOnce(runPlain(on, 'commit'))
      return result
    } catch (error) {
      atOnce(tryPlain(on, 'rollback'))
      throw error
    }
  }

  try {
    return attempt(BEGIN_READING)
  } catch (error) {
    if (!isWorking || !isBusy(error)) throw error
  }
  return attempt(begin)
}
