import { guardedWrites } from './guarded-sqlite-writes.ts'
import { sqliteByHand } from './sqlite-by-hand.ts'

/** What one can reach with this library's guarantees. */
export const build = sqliteByHand(guardedWrites)
