import { type AnyKysely, createStore, defineResources } from '@fastify-crud/core'
import { Type } from '@sinclair/typebox'

const text = Type.String({ default: '' })

export const resources = defineResources({
  note: { fields: { a: text, b: text, c: text } },
  tag: { fields: { word: text } },
})

const OPERANDS = [
  { eq: 'x' },
  { ne: 'x' },
  { lt: 'x' },
  { lte: 'x' },
  { gt: 'x' },
  { gte: 'x' },
  { in: ['x'] },
  { nin: ['x'] },
  { contains: 'x' },
  { startsWith: 'x' },
  { endsWith: 'x' },
] as const

/** Filters of so many shapes: more than there are places for the statements of all others. */
export const ALL_SHAPES = OPERANDS.length ** 3

/** From this use on a statement is kept. */
export const OFTEN = 3

/** No two numbers have a filter of the same shape. */
function filterOf(shape: number) {
  const operand = (place: number) =>
    OPERANDS[Math.floor(shape / OPERANDS.length ** place) % OPERANDS.length] as (typeof OPERANDS)[number]
  return { a: operand(0), b: operand(1), c: operand(2) }
}

export function shapes(from: number, to: number): readonly number[] {
  return Array.from({ length: to - from }, (_, index) => from + index)
}

/** Asks for a list of each shape so often that its statement is kept. */
export async function askOften(db: AnyKysely, numbers: readonly number[]): Promise<void> {
  const notes = createStore({ db, resources }).resource('note')
  for (const shape of numbers) {
    for (let n = 0; n < OFTEN; n++) await notes.list({ filter: filterOf(shape) })
  }
}
