import type { CatalogTable } from '../read/catalog.ts'
import type { UniqueDraft } from './draft.ts'
import { hasIds, type TableId } from './draft.ts'

/** What has turned out to be impossible, with the reasons. Each round of `introspect` adds to it. */
export class Exclusions {
  /** Tables that become no resource. */
  readonly tables = new Map<string, string>()
  /** Tables that requests only read. */
  readonly readOnly = new Map<string, string>()
  readonly #keys = new Map<string, string>()
  readonly #columns = new Map<string, string>()
  readonly #relations = new Map<string, string>()
  readonly #notes = new Map<string, string>()

  /** Why the column becomes no field; undefined: it may become one. */
  ofColumn(table: string, column: string): string | undefined {
    return this.#columns.get(keyOf(table, column))
  }

  /** Why the foreign key over this column becomes no relation; undefined: it may become one. */
  ofRelation(table: string, column: string): string | undefined {
    return this.#relations.get(keyOf(table, column))
  }

  /** Why the unique key stays the database's own; undefined: it may become one of the resource. */
  ofUnique(table: string, unique: UniqueDraft): string | undefined {
    return this.#keys.get(JSON.stringify([table, unique]))
  }

  excludeTable(table: string, reason: string): void {
    if (!this.tables.has(table)) this.tables.set(table, reason)
  }

  excludeUnique(table: string, unique: UniqueDraft, reason: string): void {
    this.#keys.set(JSON.stringify([table, unique]), reason)
  }

  /** Requests only read the table, and not the column. */
  excludeNeeded(table: string, column: string, reason: string): void {
    this.readOnly.set(table, reason)
    this.excludeColumn(table, column, reason)
  }

  excludeColumn(table: string, column: string, reason: string): void {
    this.#columns.set(keyOf(table, column), reason)
  }

  /** The foreign key's column becomes a plain field. */
  excludeRelation(table: string, column: string, reason: string): void {
    this.#relations.set(keyOf(table, column), reason)
  }

  /** What the comment beside the column's field says; undefined: nothing. */
  noteOfColumn(table: string, column: string): string | undefined {
    return this.#notes.get(keyOf(table, column))
  }

  noteColumn(table: string, column: string, note: string): void {
    this.#notes.set(keyOf(table, column), note)
  }

  /** Grows with each exclusion and each note. */
  get size(): number {
    const all = [this.tables, this.readOnly, this.#keys, this.#columns, this.#relations, this.#notes]
    return all.reduce((sum, { size }) => sum + size, 0)
  }
}

function keyOf(table: string, column: string): string {
  return JSON.stringify([table, column])
}

/** Why a table is no resource of a service, as its name says; undefined if its name says nothing of the kind. */
export function housekeepingOf(table: string): string | undefined {
  const kind = KINDS.find(([, name]) => name.test(table))
  return kind && `it looks like a table of ${kind[0]}`
}

const KINDS: readonly (readonly [what: string, name: RegExp])[] = [
  [
    'migrations',
    /(?:^|_)migrations?(?:_|$)|^(?:schema_version|flyway_schema_history|databasechangelog(?:lock)?|ar_internal_metadata|alembic_version|sequelizemeta|goose_db_version)$/i,
  ],
  ['sessions', /(?:^|_)sessions?$/i],
  ['reset tokens', /(?:^|_)(?:password_?resets?|(?:password_?)?reset_?tokens?|password_resets?_tokens?)$/i],
]

/** Whether a column's name says that no answer should show its values. */
export function isSecret(column: string): boolean {
  const words = column
    .replace(/(?<=[a-z\d])(?=[A-Z])/g, '_')
    .toLowerCase()
    .split(/[^a-z\d]+/)
  return (
    words.some((word) => SECRETS.has(word)) || words.some((word, at) => word === 'key' && KEYS.has(words[at - 1] ?? ''))
  )
}

const SECRETS = new Set(['password', 'passwd', 'secret', 'token', 'hash', 'salt'])

/** What stands before `key` in the name of a secret one. */
const KEYS = new Set(['api', 'private', 'secret'])

/** Whether requests write a table. */
export function isWritten({ id, readOnly }: KeptTable): boolean {
  return hasIds(id) && readOnly === undefined
}

/** A table that becomes a resource. */
export interface KeptTable {
  readonly table: CatalogTable
  readonly key: string
  readonly id: TableId
  /** Why requests only read it; undefined: they write it, if it has ids. */
  readonly readOnly: string | undefined
}
