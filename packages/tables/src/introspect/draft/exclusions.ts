/** What has turned out to be impossible, with the reasons. Each round of `introspect` adds to it. */
export class Exclusions {
  /** Tables that become no resource. */
  readonly tables = new Map<string, string>()
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

  excludeTable(table: string, reason: string): void {
    if (!this.tables.has(table)) this.tables.set(table, reason)
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
    return this.tables.size + this.#columns.size + this.#relations.size + this.#notes.size
  }
}

function keyOf(table: string, column: string): string {
  return JSON.stringify([table, column])
}
