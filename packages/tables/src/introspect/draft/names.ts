import { GRAMMAR_WORDS, problemOfFieldName, problemOfRelationName } from '@fastify-crud/core/internal'

/** The name of a field for a column: its own, unless that has a meaning of its own. */
export function fieldName(column: string, taken: ReadonlySet<string>): string {
  return free(problemOfFieldName(column) === undefined ? column : usable(column, /[.,()[\]]|^-/g), taken)
}

/** The name of a foreign key's column in bodies. */
export function foreignKeyName(column: string, relation: string, taken: ReadonlySet<string>): string {
  if (column === 'id') return free(`${relation}Id`, taken)
  return free(relationNameFrom(column), taken)
}

/** Called as the foreign key without its end: `author` for `author_id`. */
export function relationName(column: string, target: string, taken: ReadonlySet<string>): string {
  return withRecord(relationNameFrom(withoutEnd(column, target)), taken)
}

/** Called as the other table; with the name of its relation, where that has several. */
export function oppositeName(key: string, relation: string, isOnly: boolean, taken: ReadonlySet<string>): string {
  return withRecord(isOnly ? key : `${key}_${relation}`, taken)
}

/** The key of a resource: the table's name, as far as a key may have its letters. */
export function resourceKey(table: string, taken: ReadonlySet<string>): string {
  const letters = table.replace(/[^A-Za-z0-9_]/g, '_').replace(/^(?=\d)|^$/, '_')
  return free(letters === '__proto__' ? `${letters}_` : letters, taken)
}

const END = /(?:_id|Id|ID)$/

function withoutEnd(column: string, target: string): string {
  const short = column.replace(END, '')
  if (short !== column && short !== '' && short !== '_') return short
  if (column === 'id') return target
  return column.toLowerCase() === `${target.toLowerCase()}id` ? column.slice(0, -'id'.length) : column
}

function relationNameFrom(name: string): string {
  const letters = name.replace(/[^\p{L}\p{N}_]/gu, '_').replace(/^(?=\p{N})/u, '_')
  return problemOfRelationName('relation', letters) === undefined ? letters : `${letters}_`
}

function withRecord(name: string, taken: ReadonlySet<string>): string {
  return taken.has(name) || GRAMMAR_WORDS.has(name) ? free(`${name}Record`, taken) : name
}

function usable(name: string, unusable: RegExp): string {
  const letters = name.replace(unusable, '_')
  return problemOfFieldName(letters) === undefined ? letters : `${letters}_`
}

function free(name: string, taken: ReadonlySet<string>): string {
  return taken.has(name) ? free(`${name}_`, taken) : name
}
