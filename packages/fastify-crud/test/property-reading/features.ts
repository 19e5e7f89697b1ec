/** What requests may ask for. The generators leave out what the service does not have. */
export const features = [
  'filter',
  'sort',
  'search',
  'count',
  'cursor',
  'fields',
  'include',
  'nested',
  'defaultInclude',
] as const

export type Feature = (typeof features)[number]
