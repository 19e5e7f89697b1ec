export type DatabaseName = 'sqlite' | 'postgres'

/** All rows of both tables, each as text. */
export interface Rows {
  readonly parent: readonly string[]
  readonly child: readonly string[]
}

/** A database of one side's own, with the tables that `createTables` makes. */
export interface BenchDatabase {
  /** The file or the URL. */
  readonly location: string
  /** Leaves exactly the records 1 to `records`, with their children; the next new record gets the id after them. */
  reset(records: number): Promise<void>
  rows(): Promise<Rows>
  remove(): Promise<void>
}

/** Where databases are made. */
export interface DatabaseServer {
  readonly name: DatabaseName
  open(name: string): Promise<BenchDatabase>
  stop(): Promise<void>
}
