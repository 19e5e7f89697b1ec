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
  'iendsWith',
  'has',
  'null',
] as const

/** All words that filters and partial records have beside names. No property can have such a name. */
export const GRAMMAR_WORDS: ReadonlySet<string> = new Set([
  ...['and', 'or', 'not', 'some', 'every', 'none', 'partial'],
  ...OPERATOR_NAMES,
])
