import { isDeepStrictEqual } from 'node:util'
import type { Model } from 'fastify-crud'
import type { TestKysely } from '../../../../test/support/tables.ts'
import { isThere } from '../../../../test/support/test-soft-delete.ts'
import { type Done, differenceOf, readState, undoneOf } from './reference-undo.ts'
import { Tape } from './tape.ts'

// Undoes what random requests write, and does it again; in the end, all of it in random order.

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

/** A write that is done, and may be undone by a path of any of its records. */
interface Standing extends Done {
  readonly kept: Kept
  readonly send: Send
}

/** How often an undo in random order was carried out, and refused. */
export const outOfOrder = { done: 0, refused: 0, unreached: 0, ends: 0 }

export class UndoneWrites {
  readonly #db: TestKysely
  readonly #model: Model
  readonly #uniquePlaces: boolean
  /** The writes that are done, the oldest first. */
  readonly #standing: Standing[] = []
  /** The tables without the writes that stand. */
  #start: Tables | undefined
  /** Whether something was written that cannot be undone. */
  #isCut = false

  /** `uniquePlaces`: the database has unique keys over owners and the places of their elements. */
  constructor(db: TestKysely, model: Model, uniquePlaces: boolean) {
    this.#db = db
    this.#uniquePlaces = uniquePlaces
    this.#model = model
  }

  /** Carries out a write, undoes it, and does it again. */
  async around<Result>(write: () => Promise<Result>, send: Send): Promise<Result> {
    const before = await this.#tables()
    this.#start ??= before
    const from = await readState(this.#db, this.#model)
    const last = await this.#last()
    const result = await write()
    const after = await this.#tables()
    const kept = await this.#last()
    const isKept = kept !== undefined && kept.position !== last?.position
    if (isDeepStrictEqual(before, after)) return result
    if (!isKept) throw new Error('expected the write to be in the history')
    if (this.#hasSecrets(before, after)) {
      this.#isCut = true
      return result
    }
    await this.#undo(kept, send, before)
    const undo = (await this.#last()) as Kept
    await this.#undo(undo, send, after)
    const again = (await this.#last()) as Kept
    this.#standing.push({ kept: again, send, before: from, after: await readState(this.#db, this.#model) })
    return result
  }

  /** Undoes all writes in random order, and then what was refused from the last to the first. */
  async inRandomOrder(): Promise<void> {
    const count = this.#standing.length
    const order = new Tape(Array.from({ length: count * 2 }, (_, index) => (index * 7919 + count * 104_729) % 9973))
    for (const one of order.shuffled([...this.#standing])) await this.#undoAsExpected(one)
    for (const one of [...this.#standing].reverse()) await this.#undoAsExpected(one)
    if (this.#standing.length > 0 || this.#start === undefined || this.#isCut) return
    const now = await this.#tables()
    if (!isDeepStrictEqual(now, this.#start))
      throw new Error(`expected the tables as at first, ${inText(this.#start)}\n  but they are ${inText(now)}`)
    outOfOrder.ends += 1
  }

  async #undoAsExpected(one: Standing): Promise<void> {
    const now = await readState(this.#db, this.#model)
    const expected = undoneOf(this.#model, one, now, this.#uniquePlaces)
    const answer = await this.#sendUndo(one.kept, one.send)
    if (answer.status === 404) {
      outOfOrder.unreached += 1
      return
    }
    const isRefused = answer.status >= 400
    const agrees = 'refused' in expected ? isRefused : !isRefused || expected.mayBeRefused
    if (!agrees) {
      const said = 'refused' in expected ? `a refusal, as ${expected.refused},` : 'that the write can be undone'
      throw new Error(`expected ${said} but: ${answer.status} ${JSON.stringify(answer.body)}`)
    }
    const difference = differenceOf(
      isRefused || 'refused' in expected ? now : expected,
      await readState(this.#db, this.#model),
    )
    if (difference !== undefined) throw new Error(difference)
    outOfOrder[isRefused ? 'refused' : 'done'] += 1
    if (!isRefused) this.#standing.splice(this.#standing.indexOf(one), 1)
  }

  async #undo(kept: Kept, send: Send, expected: Tables): Promise<void> {
    const { status, body } = await this.#sendUndo(kept, send)
    if (status === 404) throw new Error('expected a record whose history has the write')
    if (status >= 400) throw new Error(`expected that the write can be undone, but: ${JSON.stringify(body)}`)
    const now = await this.#tables()
    for (const [table, rows] of Object.entries(expected)) {
      if (!isDeepStrictEqual(now[table], rows))
        throw new Error(`expected that an undo leaves in ${table} ${rows}\n  but there is ${now[table]}`)
    }
  }

  /** Undoes a write by one of the records that it has touched. An element of a tree has no path at the top. */
  async #sendUndo({ write }: Kept, send: Send): Promise<Answer> {
    let answer: Answer = { status: 404, body: undefined }
    for (const { resource, record } of await this.#recordsOf(write)) {
      const { route } = this.#model.resources.get(resource) as { readonly route: string }
      answer = await send(`/api/${route}/${encodeURIComponent(record)}/$history/${write}/$undo`)
      if (answer.status !== 404) break
    }
    return answer
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
