import type { Relation } from '../../model/model.ts'
import type { QueryContext } from '../context.ts'
import { alongPath, leftJoinOf } from '../rows/related-rows.ts'
import type { Sql } from '../text/sql-text.ts'

/** The aliases of rows are numbered. Those that a value is made of come behind its own: see `inside`. */
const FIRST = 100
const APART = 20

/**
 * The records that the rows of a query name, each joined once. A query that reads many rows reads all of these together. A subquery would look
 * up each record by itself.
 */
export class JoinedRecords {
  readonly #context: QueryContext
  readonly #aliases = new Map<string, Map<Relation, string>>()
  readonly #joins: Sql[] = []

  constructor(context: QueryContext) {
    this.#context = context
  }

  /** What stands between the rows and their conditions: complete when all values have been asked for. */
  get joins(): readonly Sql[] {
    return this.#joins
  }

  /** A value of the record at the end of a path, each relation of which leads to one record at most; null if there is no such record. */
  valueAt(relations: readonly Relation[], alias: string, value: (alias: string) => Sql): Sql {
    const [first, ...others] = relations
    const far = first && this.#joined(first, alias)
    if (far === undefined) return alongPath(this.#context, relations, alias, value)
    return this.valueAt(others, far, value)
  }

  #joined(relation: Relation, alias: string): string | undefined {
    const ofRow = this.#aliases.get(alias) ?? new Map<Relation, string>()
    const known = ofRow.get(relation)
    if (known !== undefined) return known
    const far = `t${FIRST + APART * this.#joins.length}`
    const join = leftJoinOf(this.#context, relation, alias, far)
    if (join === undefined) return undefined
    this.#aliases.set(alias, ofRow.set(relation, far))
    this.#joins.push(join)
    return far
  }
}
