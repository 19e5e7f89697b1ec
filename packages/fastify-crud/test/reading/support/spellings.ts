/** A query in which each value is JSON, unless it is a string. */
export function asQuery(parts: Readonly<Record<string, unknown>>): string {
  return Object.entries(parts)
    .map(([key, value]) => `${key}=${encode(typeof value === 'string' ? value : JSON.stringify(value))}`)
    .join('&')
}

/** The query of a filter in JSON. */
export function jsonFilter(filter: object): string {
  return asQuery({ filter })
}

/** The query of one condition, in brackets and in JSON. */
export function spellings(path: string, operator: string, value: unknown): readonly string[] {
  const key = `filter[${path}][${operator}]`
  const values = Array.isArray(value) ? value : [value]
  const brackets = values.map((one) => `${key}=${encode(String(one))}`).join('&')
  return [brackets, jsonFilter({ [path]: { [operator]: value } })]
}

/** As `URLSearchParams` does it. */
function encode(text: string): string {
  return new URLSearchParams({ '': text }).toString().slice(1)
}
