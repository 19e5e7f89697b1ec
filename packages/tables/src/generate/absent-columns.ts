/** Columns that are missing or of another type, which the migration leaves to a person: nothing else can be done with them. */
export class AbsentColumns {
  readonly #keys = new Set<string>()

  add(table: string | undefined, column: string | undefined): void {
    this.#keys.add(JSON.stringify([table, column]))
  }

  isAmong(table: string | undefined, columns: readonly (string | undefined)[]): boolean {
    return columns.some((column) => this.#keys.has(JSON.stringify([table, column])))
  }
}
