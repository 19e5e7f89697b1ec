import { rawWrites } from './raw-sqlite-writes.ts'
import { sqliteByHand } from './sqlite-by-hand.ts'

/** What one can reach at all. */
export const build = sqliteByHand(rawWrites)
