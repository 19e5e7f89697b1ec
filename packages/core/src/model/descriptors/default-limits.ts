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
  /** Conditions of one filter. */
  maxFilters: 50,
  /** Filters inside each other. */
  maxFilterDepth: 5,
  /** What one query may cost: see `asking/parameters/query-cost.ts`. Fifty comparisons and some searches of texts;
   * fifty such searches are too many. */
  maxCost: 100,
  /** The highest limit of an array that a query adds. */
  maxNested: 1_000,
  /** Records of a list and of the arrays that a query adds to them, along one path. */
  maxRows: 100_000,
  /** Changes of one write whose effects are listed. */
  maxChanges: 10_000,
  /** Rows that are read to group them. */
  groupRows: 1_000_000,
  /** Milliseconds that an action may take. */
  action: 10_000,
  /** Requests of a batch. */
  batch: 100,
})

/** The limits of these names, as they are given or else by default. Throws a TypeError for one that is not a positive
 * integer. */
export function limitsOf<Name extends keyof typeof DEFAULT_LIMITS>(
  names: readonly Name[],
  given: { readonly [N in Name]?: number } = {},
): { readonly [N in Name]: number } {
  const limits = names.map((name) => {
    const { [name]: value = DEFAULT_LIMITS[name] } = given
    if (!Number.isSafeInteger(value) || value < 1) throw new TypeError(`limits.${name}: must be a positive integer`)
    return [name, value] as const
  })
  return Object.fromEntries(limits) as { readonly [N in Name]: number }
}
