/** Why a database cannot use the name; undefined if it can. */
export function problemOfName(name: unknown): string | undefined {
  if (typeof name !== 'string') return 'must be a name'
  if (name === '') return 'must not be empty'
  if (name.includes('\u0000'))
    return `${JSON.stringify(name)} contains the character U+0000, which no database can store`
  if (!name.isWellFormed()) return `${JSON.stringify(name)} contains a lone surrogate, which no database can store`
  return undefined
}

/** The same for the name of a table, which may follow the name of a schema: `shop.books`. */
export function problemOfTableName(name: unknown): string | undefined {
  const problem = problemOfName(name)
  if (problem !== undefined) return problem
  const parts = String(name).split('.')
  if (parts.length <= 2 && !parts.includes('')) return undefined
  return `'${name}' is not the name of a table: a dot may only separate the name of a schema from that of a table`
}

const OF_LIBRARY = /^\$/

const LETTERS_AND_DIGITS = /^[\p{L}_][\p{L}\p{N}_]*$/u

/** What has a meaning in paths, in lists of names, and in the keys of a query; `-` begins the key of a descending
 * sort. */
const SEPARATOR = /[.,()[\]]|^-/

/** Why a field cannot have the name, by which bodies, filters, sorts and lists of fields know it; undefined if it
 * can. */
export function problemOfFieldName(name: string): string | undefined {
  if (name === 'id') return "a field cannot be called 'id': every record has one"
  if (name === '__proto__') return "a field cannot be called '__proto__'"
  if (GRAMMAR_WORDS.has(name)) return `a field cannot be called '${name}', which has a meaning in queries: ${ADVICE}`
  if (OF_LIBRARY.test(name))
    return `a field cannot be called '${name}': names that begin with $ belong to the library: ${ADVICE}`
  if (!SEPARATOR.test(name)) return problemOfName(name)
  return `a field cannot be called '${name}', because . , ( ) [ ] and a leading - have a meaning in queries: ${ADVICE}`
}

const ADVICE = "give it another name, and keep the column's with 'columns'"

/** The same for a computed field, which has no column. */
export function problemOfComputedName(name: string): string | undefined {
  return problemOfFieldName(name)?.replace(ADVICE, 'give it another name')
}

/** Why a relation or its foreign key cannot have the name, which becomes part of paths and of other names; undefined if
 * it can. */
export function problemOfRelationName(what: 'relation' | 'foreign key', name: string): string | undefined {
  if (name === 'id') return `a ${what} cannot be called 'id': every record has one`
  if (GRAMMAR_WORDS.has(name)) {
    return `a ${what} cannot be called '${name}', which has a meaning in queries: give it another name`
  }
  if (LETTERS_AND_DIGITS.test(name)) return undefined
  return `a ${what} cannot be called '${name}': its name has letters, digits and _ only`
}

/** Longer names are not compared: it would take long, and hardly anybody types them. */
const LONGEST = 64

/** `; did you mean 'author'?` for the known name nearest to a wrong one, or nothing if none is near. Named things have
 * their names. */
export function didYouMean(wrong: string, known: Iterable<string | { readonly name: string }>): string {
  if (wrong.length > LONGEST) return ''
  let best: string | undefined
  let bestDistance = Math.max(1, Math.floor(wrong.length / 3)) + 1
  for (const one of known) {
    const name = typeof one === 'string' ? one : one.name
    const distance = editDistance(wrong.toLowerCase(), name.toLowerCase(), bestDistance)
    if (distance < bestDistance) {
      best = name
      bestDistance = distance
    }
  }
  return best === undefined ? '' : `; did you mean '${best}'?`
}

/**
 * Insertions, deletions, substitutions and swaps of neighbours that turn one word into the other; infinite if they are
 * as many as `bound`. Clients may ask for many names, and a resource may have many: most of them are given up at their
 * first letters.
 */
function editDistance(a: string, b: string, bound: number): number {
  if (Math.abs(a.length - b.length) >= bound) return Number.POSITIVE_INFINITY
  let beforeLast: readonly number[] = []
  let last: readonly number[] = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    let least = i
    for (let j = 1; j <= b.length; j++) {
      const isEqual = a[i - 1] === b[j - 1]
      let distance = Math.min(at(last, j) + 1, at(row, j - 1) + 1, at(last, j - 1) + (isEqual ? 0 : 1))
      if (a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) distance = Math.min(distance, at(beforeLast, j - 2) + 1)
      row.push(distance)
      least = Math.min(least, distance)
    }
    if (least >= bound) return Number.POSITIVE_INFINITY
    beforeLast = last
    last = row
  }
  return at(last, b.length)
}

function at(row: readonly number[], j: number): number {
  return row[j] ?? Number.POSITIVE_INFINITY
}

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
