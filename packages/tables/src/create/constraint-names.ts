import { createHash } from 'node:crypto'
import { cutName, MAX_NAME_BYTES } from '@fastify-crud/core/internal'
import { conditionKey, type TableLayout, type UniqueLayout } from '../layout/table-layout.ts'

/**
 * What PostgreSQL itself puts at the end of the names of primary keys, unique and foreign keys, indexes and checks;
 * `desc_idx` for an index in descending order, and `trgm_idx` for one of trigrams. A migration needs `filled_check` for
 * a while, and `new_type` for the columns and indexes that take the place of others.
 */
export type ConstraintKind =
  | 'pkey'
  | 'key'
  | 'fkey'
  | 'idx'
  | 'desc_idx'
  | 'trgm_idx'
  | 'check'
  | 'filled_check'
  | 'new_type'

export type ConstraintNames = (
  table: TableLayout,
  kind: ConstraintKind,
  columns: readonly string[],
  /** What it has besides its columns; what tells it apart from another one over the same columns. */
  more?: string,
) => string

/** The name of a unique key: that of its columns, and those of its condition. */
export function uniqueName(nameOf: ConstraintNames, table: TableLayout, { columns, where }: UniqueLayout): string {
  return nameOf(table, 'key', namedColumns({ columns, where }), where.length === 0 ? undefined : conditionKey(where))
}

function namedColumns({ columns, where }: Pick<UniqueLayout, 'columns' | 'where'>): readonly string[] {
  return [...columns, ...where.map(({ column }) => column)]
}

/**
 * Gives every constraint and index of a layout its name: always the same one, at most 63 bytes long, and no two the
 * same. `book_author_id_idx` where that is short and clear enough, else with a part of a hash.
 */
export function constraintNames(tables: readonly TableLayout[]): ConstraintNames {
  let uses: ReadonlyMap<string, number> | undefined
  return (table, kind, columns, more) => {
    uses ??= countUses(tables)
    const plain = plainName(table, kind, columns)
    const clear = (uses.get(plain.toLowerCase()) ?? 0) < 2
    if (clear && Buffer.byteLength(plain) <= MAX_NAME_BYTES) return plain
    const hash = createHash('sha256')
      .update(JSON.stringify(more === undefined ? [table.name, kind, columns] : [table.name, kind, columns, more]))
      .digest('hex')
      .slice(0, 8)
    const end = `_${hash}_${kind}`
    return cutName(plain.slice(0, -kind.length - 1), MAX_NAME_BYTES - end.length) + end
  }
}

/** How many of a layout want each name. */
function countUses(tables: readonly TableLayout[]): ReadonlyMap<string, number> {
  const uses = new Map<string, number>()
  const use = (name: string): void => {
    uses.set(name.toLowerCase(), (uses.get(name.toLowerCase()) ?? 0) + 1)
  }
  for (const table of tables) {
    use(table.name)
    use(plainName(table, 'pkey', []))
    for (const unique of table.uniques) use(plainName(table, 'key', namedColumns(unique)))
    for (const column of table.searched) use(plainName(table, 'trgm_idx', [column]))
    for (const columns of indexedColumns(table)) {
      use(plainName(table, 'idx', columns))
      use(plainName(table, 'desc_idx', columns))
    }
  }
  return uses
}

/** The columns of all indexes that are not unique; each list once. */
function indexedColumns({ foreignKeys, declaredIndexes }: TableLayout): readonly (readonly string[])[] {
  const lists = [...foreignKeys.map(({ columns }) => columns), ...declaredIndexes]
  return [...new Map(lists.map((columns) => [JSON.stringify(columns), columns])).values()]
}

function plainName(table: TableLayout, kind: ConstraintKind, columns: readonly string[]): string {
  return [table.name, ...columns, kind].join('_')
}
