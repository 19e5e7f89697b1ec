/** The operators of filters. */
export const OPERATOR_NAMES = [
  'eq',
  'ne',
  'lt',
  'lte',
  'gt',
  'gte',
  'in',
  'nin',
  'contains',
  'startsWith',
  'endsWith',
  'icontains',
  'istartsWith',
  'null',
] as const

/** All words that stand in filters and in records that were cut beside names. No property can be called so. */
export const GRAMMAR_WORDS: ReadonlySet<string> = new Set([
  ...['and', 'or', 'not', 'some', 'every', 'none', 'partial'],
  ...OPERATOR_NAMES,
])
