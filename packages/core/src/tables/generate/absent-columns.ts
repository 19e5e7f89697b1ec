/** Columns that are missing, and that the migration does not add: nothing can be made over them. */
export class AbsentColumns {
  readonly #keys = new Set<string>()

  add(table: string | undefined, column: string | undefined): void {
    this.#keys.add(JSON.stringify([table, column]))
  }

  isAmong(table: string | undefined, columns: readonly (string | undefined)[]): boolean {
    return columns.some((column) => this.#keys.has(JSON.stringify([table, column])))
  }
}
