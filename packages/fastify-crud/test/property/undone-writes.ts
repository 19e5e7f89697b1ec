import { isDeepStrictEqual } from 'node:util'
import type { Model } from 'fastify-crud'
import type { TestKysely } from '../../../../test/support/tables.ts'
import { isThere } from '../../../../test/support/test-soft-delete.ts'

// Undoes what random requests write, and does it again.

/** The rows of all tables, as texts. */
type Tables = Readonly<Record<string, readonly string[]>>

interface Answer {
  readonly status: number
  readonly body: unknown
}

/** Sends an undo to a path, as the system. */
type Send = (url: string) => Promise<Answer>

/** A write that the history has. */
interface Kept {
  readonly position: number
  readonly write: string
}

export class UndoneWrites {
  readonly #db: TestKysely
  readonly #model: Model

  constructor(db: TestKysely, model: Model) {
    this.#db = db
    this.#model = model
  }

  /** Carries out a write, undoes it, and does it again. */
  async around<Result>(write: () => Promise<Result>, send: Send): Promise<Result> {
    const before = await this.#tables()
    const last = await this.#last()
    const result = await write()
    const after = await this.#tables()
    const kept = await this.#last()
    const isKept = kept !== undefined && kept.position !== last?.position
    if (isDeepStrictEqual(before, after)) return result
    if (!isKept) throw new Error('expected the write to be in the history')
    if (this.#hasSecrets(before, after)) return result
    await this.#undo(kept, send, before)
    await this.#undo((await this.#last()) as Kept, send, after)
    return result
  }

  async #undo({ write }: Kept, send: Send, expected: Tables): Promise<void> {
    for (const { resource, record } of await this.#recordsOf(write)) {
      const { route } = this.#model.resources.get(resource) as { readonly route: string }
      const { status, body } = await send(`/api/${route}/${encodeURIComponent(record)}/$history/${write}/$undo`)
      // An element of a tree has no path at the top.
      if (status === 404) continue
      if (status >= 400) throw new Error(`expected that the write can be undone, but: ${JSON.stringify(body)}`)
      const now = await this.#tables()
      for (const [table, rows] of Object.entries(expected)) {
        if (!isDeepStrictEqual(now[table], rows))
          throw new Error(`expected that an undo leaves in ${table} ${rows}\n  but there is ${now[table]}`)
      }
      return
    }
    throw new Error('expected a record whose history has the write')
  }

  async #recordsOf(write: string): Promise<readonly { readonly resource: string; readonly record: string }[]> {
    const rows = await this.#db.selectFrom('crud_history_records').selectAll().where('write', '=', write).execute()
    const roots = rows.filter(({ resource }) => this.#model.resources.get(String(resource))?.isRoot)
    return roots.map(({ resource, record }) => ({ resource: String(resource), record: String(record) }))
  }

  async #last(): Promise<Kept | undefined> {
    const last = this.#db.selectFrom('crud_history').select(['position', 'id']).orderBy('position', 'desc').limit(1)
    const [row] = await last.execute()
    return row && { position: Number(row.position), write: String(row.id) }
  }

  /** Whether a change may lose values that no history keeps. */
  #hasSecrets(before: Tables, after: Tables): boolean {
    return [...this.#model.resources.values()].some(
      ({ table, fields }) =>
        fields.some(({ writeOnly }) => writeOnly) && !isDeepStrictEqual(before[table], after[table]),
    )
  }

  async #tables(): Promise<Tables> {
    const all = [...this.#model.resources.values()]
    const names = new Set(all.flatMap(({ table, links }) => [table, ...links.map((link) => link.table)]))
    const tables: Record<string, readonly string[]> = {}
    for (const name of names) {
      const rows = await this.#db.selectFrom(name).selectAll().execute()
      // A record that goes again may be deleted as any other.
      const live = rows.filter(isThere)
      const links = all.flatMap((one) => one.links).filter(({ table }) => table === name)
      tables[name] = links.reduce(withPlaces, live).map(inText).sort()
    }
    return tables
  }
}

type Row = Readonly<Record<string, unknown>>

/** Links with their places in an array that keeps its order: their numbers may be others. */
function withPlaces(
  rows: readonly Row[],
  { order, fromColumn }: { order: string | undefined; fromColumn: string },
): readonly Row[] {
  if (order === undefined) return rows
  const arrays = Map.groupBy(rows, (row) => row[fromColumn] ?? row[camelCase(fromColumn)])
  return [...arrays.values()].flatMap((array) =>
    array
      .toSorted((one, other) => Number(one[order]) - Number(other[order]))
      .map((row, place) => ({ ...row, [order]: place })),
  )
}

function camelCase(column: string): string {
  return column.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
}

function inText(row: object): string {
  return JSON.stringify(row, (_, value) => (typeof value === 'bigint' ? String(value) : value))
}
