import { mkdir, writeFile } from 'node:fs/promises'

/** Resources that belong together in a generated model; groups are chained to each other. */
const GROUP = 4

/** Where generated modules are, beside the scripts, so that they find the same packages. */
export const GENERATED: URL = new URL('./generated/', import.meta.url)

/** A module that exports `resources`: every relation kind, in groups of customer, order, line and product. */
export function modelText(resources: number): string {
  const groups = Array.from({ length: Math.ceil(resources / GROUP) }, (_, group) => groupText(group))
  return `import { Type } from '@sinclair/typebox'
import { defineResources, knows, needs, ownedBy, owns } from 'fastify-crud'

export const resources = defineResources({
${groups.join('')}})
`
}

function groupText(group: number): string {
  const friend = group === 0 ? '' : `friend: knows.one('customer${group - 1}'), `
  return `  customer${group}: {
    fields: { name: Type.String({ minLength: 1 }), email: Type.Optional(Type.String()), since: Type.String({ format: 'date' }) },
    relations: { ${friend}wishes: knows.many('product${group}') },
  },
  order${group}: {
    fields: { number: Type.Integer({ minimum: 1 }), paid: Type.Optional(Type.Boolean()), note: Type.Optional(Type.String()) },
    relations: { customer: needs.one('customer${group}'), lines: owns.many('line${group}') },
    unique: [['number']],
  },
  line${group}: {
    fields: { quantity: Type.Integer({ minimum: 1 }), price: Type.Number(), options: Type.Optional(Type.Array(Type.String())) },
    relations: { order: ownedBy('order${group}'), product: needs.one('product${group}') },
  },
  product${group}: {
    fields: { title: Type.String(), kind: Type.Union([Type.Literal('book'), Type.Literal('record')]), weight: Type.Optional(Type.Number()) },
    relations: { related: knows.many('product${group}') },
  },
`
}

/** A module that uses the types of every group as an application does: reads, writes, and mistakes that must not pass. */
export function usesText(resources: number): string {
  const groups = Array.from({ length: Math.ceil(resources / GROUP) }, (_, group) => useText(group))
  return `import { createStore, type CreateBody, type RecordOf } from '@fastify-crud/core'
import type { Kysely } from 'kysely'
import { resources } from './model.ts'

type Shop = typeof resources

export async function use(db: Kysely<unknown>): Promise<void> {
  const store = createStore({ db, resources })
${groups.join('')}}
`
}

function useText(group: number): string {
  return `  {
    const orders = store.resource('order${group}')
    const body: CreateBody<Shop, 'order${group}'> = { number: 1, customerId: 1, lines: [{ quantity: 1, price: 2, productId: 3 }] }
    const order: RecordOf<Shop, 'order${group}'> = await orders.create(body)
    await orders.replace(order.id, order)
    await orders.patch(order.id, { note: order.customer.name, lines: [{ quantity: 2, price: 3, productId: 4 }] })
    await orders.owned(order.id, 'lines').list()
    // @ts-expect-error no such field
    await orders.patch(order.id, { notes: '' })
  }
`
}

/** Writes a generated module; returns its place. */
export async function writeGenerated(name: string, text: string): Promise<URL> {
  await mkdir(GENERATED, { recursive: true })
  const file = new URL(name, GENERATED)
  await writeFile(file, text)
  return file
}
