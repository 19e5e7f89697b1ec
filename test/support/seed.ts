import { isLong } from './is-long.ts'

const { FC_SEED } = process.env

/** What random tests begin with: FC_SEED, or a constant, so that a test fails because of a change and not by chance. `test:long` draws anew. */
export const seed = FC_SEED !== undefined ? Number(FC_SEED) : isLong ? randomSeed() : 20_261_128

export function randomSeed(): number {
  return Math.floor(Math.random() * 2 ** 31)
}
