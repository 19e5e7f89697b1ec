/** How much there may be of everything, where the options do not say. */
export const DEFAULT_LIMITS = Object.freeze({
  /** The highest `limit` of a list. */
  maxPage: 100,
  /** Records of a list, if the request does not say. */
  defaultPage: 20,
  /** Array elements of one body. */
  maxItems: 10_000,
  /** Objects and arrays inside each other in one body. */
  maxDepth: 64,
  /** Bytes of one answer. */
  maxAnswer: 32 * 1024 * 1024,
})
