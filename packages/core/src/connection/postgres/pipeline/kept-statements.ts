import { createHash } from 'node:crypto'
import { isClientShape } from '../../../query/text/client-shape.ts'
import { MOST_CLIENT_SHAPES, MOST_KEPT } from '../../drivers/keep-frequent.ts'
import type { ParseText, PipelineConnection } from './pipeline-client.ts'

export interface Column {
  readonly name: string
  readonly parse: ParseText
}

/** The statements that the server keeps for a connection, by name: the columns of their rows. */
export class KeptStatements {
  readonly #columns = new Map<string, readonly Column[]>()
  /**
   * Their names, in the order of their last use, those of clients' shapes apart. The server may not keep all of them: nobody knows of a
   * statement that failed whether it was prepared before that.
   */
  readonly #shapes = new Set<string>()
  readonly #others = new Set<string>()

  /** The columns of a statement that is about to run; undefined if the server may not keep it. */
  use(name: string): readonly Column[] | undefined {
    const names = namesClientShape(name) ? this.#shapes : this.#others
    names.delete(name)
    names.add(name)
    return this.#columns.get(name)
  }

  /** The statements that are too many. The server is to forget them before anything else runs. */
  dropExcess(): readonly string[] {
    const dropped = [...excessOf(this.#shapes, MOST_CLIENT_SHAPES), ...excessOf(this.#others, MOST_KEPT)]
    for (const name of dropped) this.#columns.delete(name)
    return dropped
  }

  /** The server keeps the statement. */
  set(name: string, columns: readonly Column[]): void {
    this.#columns.set(name, columns)
  }

  /** The server may have forgotten the statement. */
  forget(name: string): void {
    this.#columns.delete(name)
  }

  /** The server may have forgotten all of them. */
  forgetAll(): void {
    this.#columns.clear()
  }
}

/** Removes the first names that are too many. */
function excessOf(names: Set<string>, most: number): readonly string[] {
  const excess: string[] = []
  for (const name of names) {
    if (names.size <= most) break
    names.delete(name)
    excess.push(name)
  }
  return excess
}

const onConnections = new WeakMap<PipelineConnection, KeptStatements>()

/** Whoever uses the connection has the same: a pool may have several wrappers, and each must know what another has dropped. */
export function keptOn(connection: PipelineConnection): KeptStatements {
  let kept = onConnections.get(connection)
  if (kept === undefined) {
    kept = new KeptStatements()
    onConnections.set(connection, kept)
  }
  return kept
}

const PREFIX = 'crud_'
const CLIENT_SHAPE_PREFIX = 'crud_shape_'

/** The same text always has the same name, so that nobody else on the connection gives the name to another statement. */
export function nameOfStatement(text: string): string {
  const prefix = isClientShape(text) ? CLIENT_SHAPE_PREFIX : PREFIX
  return `${prefix}${createHash('sha256').update(text).digest('hex').slice(0, 32)}`
}

/** Whether a statement of that name has a shape that a client made. */
function namesClientShape(name: string): boolean {
  return name.startsWith(CLIENT_SHAPE_PREFIX)
}
