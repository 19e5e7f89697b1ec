import type { ParseText, PipelineConnection } from './pipeline-client.ts'
import type { KeptGroup, KeptName } from './statement.ts'

export interface Column {
  readonly name: string
  readonly parse: ParseText
}

/** The statements that the server keeps for a connection. */
export class KeptStatements {
  /** The columns of their rows, by the statement's name. */
  readonly #columns = new Map<string, readonly Column[]>()
  /**
   * Their names, in the order of their last use. The server may not keep all of them: it may have refused a statement before it
   * prepared it, or after.
   */
  readonly #groups = new Map<KeptGroup, Set<string>>()

  /** The columns of a statement that is about to run; undefined if it has to be prepared. */
  use({ name, group }: KeptName): readonly Column[] | undefined {
    const names = this.#groups.get(group) ?? new Set()
    names.delete(name)
    this.#groups.set(group, names.add(name))
    return this.#columns.get(name)
  }

  /** Removes the statements that are too many, and returns their names. */
  dropExcess(): readonly string[] {
    const dropped: string[] = []
    for (const [{ most }, names] of this.#groups) {
      for (const name of names) {
        if (names.size <= most) break
        names.delete(name)
        this.#columns.delete(name)
        dropped.push(name)
      }
    }
    return dropped
  }

  /** The server keeps the statement. */
  set(name: string, columns: readonly Column[]): void {
    this.#columns.set(name, columns)
  }

  /** The server may not keep the statement any more. */
  forget(name: string): void {
    this.#columns.delete(name)
  }

  forgetAll(): void {
    this.#columns.clear()
  }
}

const onConnections = new WeakMap<PipelineConnection, KeptStatements>()

/** All pipelines of a connection share it: each must know what another one has dropped. */
export function keptOn(connection: PipelineConnection): KeptStatements {
  let kept = onConnections.get(connection)
  if (kept === undefined) {
    kept = new KeptStatements()
    onConnections.set(connection, kept)
  }
  return kept
}
