import { postgresByHand } from './postgres-by-hand.ts'
import { rawWrites } from './raw-postgres-writes.ts'

/** What one can reach at all, with as few round trips as correct locking allows. */
export const build = postgresByHand(rawWrites)
