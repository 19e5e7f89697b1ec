import { sql } from 'kysely'
import type { TestKysely } from '../support/tables.ts'
import { describe, type Key, topsOf, type Write } from './history.ts'
import { FIRST_COUNT } from './market.ts'

/** What is in the tables of a market. */
export interface Market {
  readonly goods: readonly Good[]
  readonly sales: readonly Sale[]
}

interface Good {
  readonly key: Key
  readonly count: number
  readonly sold: number
  readonly stall: string
  readonly place: number | null
}

/** What an action has noted. */
interface Sale {
  readonly token: string
  readonly good: Key
  readonly amount: number
}

export async function readMarket(db: TestKysely): Promise<Market> {
  const goods = await sql<Record<string, unknown>>`select * from good`.execute(db)
  const sales = await sql<Record<string, unknown>>`select * from sale`.execute(db)
  return {
    goods: goods.rows.map(({ id, count, sold, stallId, place }) => ({
      key: `good/${id}`,
      count: Number(count),
      sold: Number(sold),
      stall: String(stallId),
      place: place === null ? null : Number(place),
    })),
    sales: sales.rows.map(({ name, good, amount }) => ({
      token: String(name),
      good: `good/${good}`,
      amount: Number(amount),
    })),
  }
}

/**
 * What is wrong with goods and sales, given all that was written; empty if nothing is. What was added and sold is there, once, and what a sale
 * writes is there as a whole or not at all. No two goods have the same place of a stall.
 */
export function checkMarket(writes: readonly Write[], { goods, sales }: Market): string[] {
  return [...wrongSales(writes, sales), ...wrongCounts(writes, goods, sales), ...wrongPlaces(goods)]
}

function wrongSales(writes: readonly Write[], sales: readonly Sale[]): string[] {
  const byToken = Map.groupBy(sales, ({ token }) => token)
  const sells = writes.filter(({ counts }) => (counts?.sells ?? 0) > 0)
  const known = new Set(sells.map(({ token }) => token))
  const strange = sales.filter(({ token }) => !known.has(token)).map((one) => `nobody sent ${JSON.stringify(one)}`)
  const wrong = sells.flatMap((write) => {
    const { length } = byToken.get(write.token) ?? []
    const isDone = wasDone(write)
    const isRight = isDone === undefined ? length <= 1 : length === Number(isDone)
    return isRight ? [] : [`there are ${length} sales of ${describe(write)}`]
  })
  return [...strange, ...wrong]
}

/** Undefined where no answer says. Of a request that was sent several times, one answer is enough. */
function wasDone({ outcome, answers }: Write): boolean | undefined {
  if (outcome !== 'unknown') return outcome === 'done'
  return answers?.some(({ status }) => status < 300) === true ? true : undefined
}

function wrongCounts(writes: readonly Write[], goods: readonly Good[], sales: readonly Sale[]): string[] {
  const added = new Map<Key, { least: number; most: number }>()
  for (const write of writes) {
    const by = write.counts?.adds ?? 0
    const isDone = wasDone(write)
    const [key] = topsOf(write)
    if (by === 0 || isDone === false || key === undefined) continue
    const { least, most } = added.get(key) ?? { least: 0, most: 0 }
    added.set(key, { least: isDone ? least + by : least, most: most + by })
  }
  const salesOf = Map.groupBy(sales, ({ good }) => good)
  return goods.flatMap(({ key, count, sold }) => {
    const noted = (salesOf.get(key) ?? []).reduce((sum, { amount }) => sum + amount, 0)
    const { least, most } = added.get(key) ?? { least: 0, most: 0 }
    const wrong = sold === noted ? [] : [`${key} was sold ${sold} times, and its sales are ${noted}`]
    const change = count + sold - FIRST_COUNT
    if (change < least || change > most) wrong.push(`${key} has got ${change} more, which is not ${least} to ${most}`)
    return wrong
  })
}

function wrongPlaces(goods: readonly Good[]): string[] {
  const places = Map.groupBy(goods, ({ stall, place }) => `${stall} ${place}`)
  return [...places.values()]
    .filter(([one, other]) => other !== undefined || one?.place === null)
    .map((some) => `goods have one place, or none: ${JSON.stringify(some)}`)
}
