import { GRAMMAR_WORDS } from './grammar-words.ts'

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

const LETTERS_AND_DIGITS = /^[\p{L}_][\p{L}\p{N}_]*$/u

/** What has a meaning in paths, in lists of names, and in the keys of a query; `-` begins the key of a descending sort. */
const SEPARATOR = /[.,()[\]]|^-/

/** Why a field cannot have the name, by which bodies, filters, sorts and lists of fields know it; undefined if it can. */
export function problemOfFieldName(name: string): string | undefined {
  if (name === 'id') return "a field cannot be called 'id': every record has one"
  if (name === '__proto__') return "a field cannot be called '__proto__'"
  if (GRAMMAR_WORDS.has(name)) return `a field cannot be called '${name}', which has a meaning in queries: ${ADVICE}`
  if (!SEPARATOR.test(name)) return problemOfName(name)
  return `a field cannot be called '${name}', because . , ( ) [ ] and a leading - have a meaning in queries: ${ADVICE}`
}

const ADVICE = "give it another name, and keep the column's with 'columns'"

/** The same for a computed field, which has no column. */
export function problemOfComputedName(name: string): string | undefined {
  return problemOfFieldName(name)?.replace(ADVICE, 'give it another name')
}

/** Why a relation or its foreign key cannot have the name, which becomes part of paths and of other names; undefined if it can. */
export function problemOfRelationName(what: 'relation' | 'foreign key', name: string): string | undefined {
  if (name === 'id') return `a ${what} cannot be called 'id': every record has one`
  if (GRAMMAR_WORDS.has(name)) {
    return `a ${what} cannot be called '${name}', which has a meaning in queries: give it another name`
  }
  if (LETTERS_AND_DIGITS.test(name)) return undefined
  return `a ${what} cannot be called '${name}': its name has letters, digits and _ only`
}
