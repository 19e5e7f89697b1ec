import type { ColumnIs } from '../layout/table-layout.ts'

/** What the predicate of a partial index says of one column. A constant is its text, whatever its type. */
export interface FoundCondition {
  readonly column: string
  readonly is: 'null' | 'not null' | { readonly text: string }
}

/** Whether the index says the same of a column. */
export function isSameCondition(found: FoundCondition, { column, is }: ColumnIs): boolean {
  if (found.column !== column) return false
  if (typeof found.is === 'string' || typeof is === 'string') return found.is === is
  const { text } = found.is
  switch (typeof is.value) {
    case 'boolean':
      return textsOf(is.value).includes(text)
    case 'number':
      return text !== '' && Number(text) === is.value
    case 'string':
      return text === is.value
  }
}

/** How databases spell a boolean. */
export function textsOf(value: boolean): readonly string[] {
  return value ? ['true', 't', '1'] : ['false', 'f', '0']
}

/**
 * Reads a predicate as PostgreSQL prints it, or as an index of SQLite has it:
 * `((deleted_at IS NULL) AND (kind = 'a'::text))`. Undefined for anything but conditions for columns that all must
 * hold: null, not null, or equal to a constant.
 *
 * @param spell the name of a column as the table has it
 */
export function conditionsIn(
  predicate: string,
  spell: (name: string) => string,
): readonly FoundCondition[] | undefined {
  const reader = new Reader(predicate, spell)
  try {
    const read = conditionsOf(reader.conjunction())
    return reader.isAtEnd ? read : undefined
  } catch (error) {
    if (error instanceof UnreadableError) return undefined
    throw error
  }
}

class UnreadableError extends Error {}

/** A part of a predicate. */
type Part =
  | { readonly is: 'column'; readonly name: string }
  | { readonly is: 'constant'; readonly text: string }
  | { readonly is: 'conditions'; readonly conditions: readonly FoundCondition[] }

/** A column of booleans is a condition by itself. */
function conditionsOf(part: Part): readonly FoundCondition[] {
  if (part.is === 'conditions') return part.conditions
  return [equals(part, { is: 'constant', text: 'true' })]
}

function equals(one: Part, other: Part): FoundCondition {
  if (one.is === 'constant' && other.is === 'column') return equals(other, one)
  if (one.is !== 'column' || other.is !== 'constant') throw new UnreadableError()
  return { column: one.name, is: { text: other.text } }
}

const TOKEN =
  /\s*(E?'(?:[^']|'')*'|"(?:[^"]|"")*"|`[^`]*`|\[[^\]]*\]|-?\d+(?:\.\d+)?(?:e[+-]?\d+)?|[\p{L}_][\p{L}\p{N}_$]*|::|==|\S)/giuy

/** The further words of types such as `character varying` and `double precision`. */
const IN_TYPES = /^(?:varying|precision)$/i

const TEXT_TYPES = /^(?:text|character varying|varchar|bpchar|character)$/i

class Reader {
  readonly #tokens: string[]
  readonly #spell: (name: string) => string
  #position = 0

  constructor(text: string, spell: (name: string) => string) {
    this.#tokens = Array.from(text.matchAll(TOKEN), ([, token]) => token ?? '')
    this.#spell = spell
  }

  get isAtEnd(): boolean {
    return this.#position >= this.#tokens.length
  }

  /** Terms with AND between them. One alone may be a column, or a constant in brackets. */
  conjunction(): Part {
    const first = this.#term()
    if (!this.#has('AND')) return first
    const conditions = [...conditionsOf(first)]
    while (this.#take('AND')) conditions.push(...conditionsOf(this.#term()))
    return { is: 'conditions', conditions }
  }

  #term(): Part {
    if (this.#take('NOT')) return condition(equals(this.#operand(), { is: 'constant', text: 'false' }))
    const left = this.#operand()
    if (this.#take('=') || this.#take('==')) return condition(equals(left, this.#operand()))
    if (!this.#take('IS')) return left
    const isNot = this.#take('NOT')
    if (this.#take('NULL') && left.is === 'column') {
      return condition({ column: left.name, is: isNot ? 'not null' : 'null' })
    }
    if (isNot) throw new UnreadableError()
    return condition(equals(left, this.#operand()))
  }

  #operand(): Part {
    let part: Part
    if (this.#take('(')) {
      part = this.conjunction()
      this.#expect(')')
    } else {
      part = this.#single()
    }
    while (this.#take('::')) {
      const type = this.#type()
      if (part.is === 'conditions' || (part.is === 'column' && !TEXT_TYPES.test(type))) throw new UnreadableError()
    }
    return part
  }

  #single(): Part {
    const token = this.#next()
    if (/^'/.test(token)) return { is: 'constant', text: token.slice(1, -1).replaceAll("''", "'") }
    if (/^E'/i.test(token)) {
      return { is: 'constant', text: token.slice(2, -1).replaceAll("''", "'").replaceAll('\\\\', '\\') }
    }
    if (/^-?\d/.test(token)) return { is: 'constant', text: token }
    if (/^(?:true|false)$/i.test(token)) return { is: 'constant', text: token.toLowerCase() }
    const name = nameIn(token)
    // A function.
    if (name === undefined || this.#has('(') || this.#has('.')) throw new UnreadableError()
    return { is: 'column', name: this.#spell(name) }
  }

  #type(): string {
    const words = [nameIn(this.#next()) ?? '']
    while (this.#take('.')) words.push(nameIn(this.#next()) ?? '')
    while (IN_TYPES.test(this.#tokens[this.#position] ?? '')) words.push(this.#next())
    if (this.#take('(')) {
      this.#next()
      this.#expect(')')
    }
    return words.join(' ')
  }

  #has(token: string): boolean {
    return this.#tokens[this.#position]?.toUpperCase() === token
  }

  #take(token: string): boolean {
    const isThere = this.#has(token)
    if (isThere) this.#position += 1
    return isThere
  }

  #expect(token: string): void {
    if (!this.#take(token)) throw new UnreadableError()
  }

  #next(): string {
    const token = this.#tokens[this.#position]
    if (token === undefined) throw new UnreadableError()
    this.#position += 1
    return token
  }
}

function condition(one: FoundCondition): Part {
  return { is: 'conditions', conditions: [one] }
}

/** A name without its quotes; undefined for what is none. */
function nameIn(token: string): string | undefined {
  if (/^[\p{L}_]/u.test(token)) return token
  if (token.startsWith('"')) return token.slice(1, -1).replaceAll('""', '"')
  return /^[`[]/.test(token) && token.length > 1 ? token.slice(1, -1) : undefined
}
