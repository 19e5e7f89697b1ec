import { guardedWrites } from './guarded-postgres-writes.ts'
import { postgresByHand } from './postgres-by-hand.ts'

/** What one can reach with this library's guarantees. */
export const build = postgresByHand(guardedWrites)
