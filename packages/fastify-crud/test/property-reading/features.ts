/** What a request may ask for. */
export type Feature =
  | 'filter'
  | 'sort'
  | 'search'
  | 'count'
  | 'cursor'
  | 'fields'
  | 'include'
  | 'nested'
  | 'defaultInclude'
  | 'computed'

/** What the service has: the generators leave out the rest. */
export const features: readonly Feature[] = [
  'filter',
  'sort',
  'search',
  'count',
  'cursor',
  'fields',
  'include',
  'nested',
  'defaultInclude',
  'computed',
]
