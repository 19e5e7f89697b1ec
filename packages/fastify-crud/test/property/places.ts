import type { TestKysely } from '../../../../test/support/tables.ts'
import { TENANTS, WORKSPACE } from './in-tenants.ts'
import { type RefModel, type RefResource, resourceOf } from './reference-model.ts'
import type { Side } from './side.ts'

// What other programs make of the numbers by which arrays keep their order.

/** Where the numbers of one array are. */
interface Numbers {
  readonly table: string
  /** The number's, and those that name the row's owner and the element. */
  readonly column: string
  readonly owner: string
  readonly element: readonly string[]
  /** The elements have ids that one column holds: in their order, equal numbers and nulls are an order, too. */
  readonly hasOrderedIds: boolean
}

function numbersIn(model: RefModel, idColumnsOf: (resource: RefResource) => readonly string[]): Numbers[] {
  return [...model.resources.values()].flatMap(({ owns, links }) => [
    ...owns.flatMap(({ order, target, inverse }): Numbers[] => {
      const elements = resourceOf(model, target)
      const owner = elements.owners.find(({ name }) => name === inverse)
      if (order === undefined || owner === undefined) return []
      const element = idColumnsOf(elements)
      const hasOrderedIds = element.length === 1 && !elements.sharesIds
      return [{ table: elements.table, column: order.column, owner: owner.column, element, hasOrderedIds }]
    }),
    ...links.flatMap(({ order, table, from, to }): Numbers[] => {
      return order ? [{ table, column: order.column, owner: from, element: [to], hasOrderedIds: true }] : []
    }),
  ])
}

/** Makes unique keys over owners and numbers, of which no descriptor says anything. */
export async function makePlacesUnique(db: TestKysely, model: RefModel, hasTenants: boolean): Promise<void> {
  for (const [index, { table, owner, column }] of numbersIn(model, () => []).entries()) {
    const columns = [...(hasTenants ? [`${WORKSPACE}Id`] : []), owner, column]
    await db.schema.createIndex(`places_${index}`).unique().on(table).columns(columns).execute()
  }
}

/** Ways to number elements, in the order that they have. */
export const NUMBERINGS = ['without gaps', 'up to the last', 'from the first', 'alike', 'not at the end'] as const
export type Numbering = (typeof NUMBERINGS)[number]

const [FIRST, LAST] = [-2147483648, 2147483647]

/** Another program gives the elements of all arrays new numbers. */
export async function renumber(
  model: RefModel,
  { database: { db }, ids, tenant }: Side,
  numbering: Numbering,
  isUnique: boolean,
): Promise<void> {
  const idColumnsOf = ({ idColumn, key }: RefResource): readonly string[] => {
    const { below, fields } = ids.kindOf(key)
    return below === 'ids below the owner' ? Object.keys(fields) : [idColumn]
  }
  for (const one of numbersIn(model, idColumnsOf)) {
    const { table, column, owner, element, hasOrderedIds } = one
    const names = [owner, column, ...element]
    // Under names that no plugin changes.
    const all = db.selectFrom(table).select(names.map((name, index) => `${name} as n${index}` as const))
    const mine = tenant === undefined ? all : all.where(`${WORKSPACE}Id`, '=', TENANTS[tenant])
    const found = (await mine.execute()) as readonly Record<string, unknown>[]
    const rows = found.map((row) => names.map((_, index) => row[`n${index}`]))
    for (const [of, elements] of Map.groupBy(rows, ([name]) => String(name))) {
      if (of === 'null') continue
      const sorted = elements.toSorted(inOrder)
      const numbers = numbersOf(sorted, hasOrderedIds && !isUnique ? numbering : unlike(numbering))
      const update = (row: readonly unknown[], number: number | null) => {
        const set = db.updateTable(table).set({ [column]: number })
        return [owner, ...element].reduce((query, name, index) => {
          return query.where(name, '=', (index === 0 ? row[0] : row[index + 1]) as never)
        }, set)
      }
      // A unique key has no two of them on the way.
      for (const row of sorted) await update(row, null).execute()
      for (const [index, row] of sorted.entries()) await update(row, numbers[index] ?? null).execute()
    }
  }
}

function unlike(numbering: Numbering): Numbering {
  return numbering === 'alike' || numbering === 'not at the end' ? 'without gaps' : numbering
}

/** By the numbers, then by the ids; those without a number are last. */
function inOrder(one: readonly unknown[], other: readonly unknown[]): number {
  const [, first, ...id] = one
  const [, second, ...otherId] = other
  const number = (value: unknown) => (value === null ? Number.POSITIVE_INFINITY : Number(value))
  if (number(first) !== number(second)) return number(first) - number(second)
  return compareIds(id[0], otherId[0])
}

function compareIds(one: unknown, other: unknown): number {
  if (typeof one === 'number' && typeof other === 'number') return one - other
  const [first, second] = [String(one), String(other)]
  if (/^-?\d+$/.test(first) && /^-?\d+$/.test(second)) return Number(BigInt(first) - BigInt(second))
  return Buffer.compare(Buffer.from(first), Buffer.from(second))
}

function numbersOf(sorted: readonly (readonly unknown[])[], numbering: Numbering): (number | null)[] {
  const last = sorted.length - 1
  const isBehind = (index: number) => compareIds(sorted[index]?.[2], sorted[index - 1]?.[2]) > 0
  switch (numbering) {
    case 'without gaps':
      return sorted.map((_, index) => index)
    case 'up to the last':
      return sorted.map((_, index) => LAST - last + index)
    case 'from the first':
      return sorted.map((_, index) => FIRST + index)
    case 'alike': {
      let number = 0
      return sorted.map((_, index) => {
        if (index > 0 && !isBehind(index)) number += 1
        return number
      })
    }
    case 'not at the end': {
      let from = last
      while (from > 0 && isBehind(from)) from -= 1
      return sorted.map((_, index) => (index > from || (index === from && from === 0) ? null : index))
    }
  }
}
