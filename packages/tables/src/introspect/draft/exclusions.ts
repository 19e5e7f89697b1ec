import type { UniqueDraft } from './draft.ts'

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
