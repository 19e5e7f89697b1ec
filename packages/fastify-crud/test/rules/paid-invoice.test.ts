import { transitions } from '@fastify-crud/core'
import { Type } from '@sinclair/typebox'
import { defineResources, knows, ownedBy, owns } from 'fastify-crud'
import { beforeEach, expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../test/support/json-body.ts'
import { type TestRules, withRules } from './support/rules.ts'

const text = Type.String()

const books = defineResources({
  product: { fields: { name: text } },
  invoice: {
    fields: { number: text, status: Type.Optional(text) },
    relations: { lines: owns.many('line') },
  },
  line: {
    fields: { text, amount: Type.Integer() },
    relations: { invoice: ownedBy('invoice'), product: knows.one('product'), notes: owns.many('note') },
  },
  note: { fields: { text }, relations: { line: ownedBy('line') } },
})

const rules: TestRules = {
  invoice: [
    transitions('status', { draft: ['sent'], sent: ['paid'], paid: [] }),
    {
      validate({ before, refuse }) {
        if (before?.status === 'paid') refuse('a paid invoice cannot be changed')
      },
    },
  ],
}

describeOnBoth('a paid invoice, and everything below it,', (database) => {
  const service = useApp(database, books, withRules(rules))
  let product: JsonBody
  let invoice: JsonBody
  let path: string
  let linePath: string

  beforeEach(async () => {
    product = await service.add('/api/product', { name: 'p' })
    const lines = [{ text: 'a', amount: 1, productId: product.id, notes: [{ text: 'n' }] }]
    invoice = await service.add('/api/invoice', { number: '1', lines })
    path = `/api/invoice/${invoice.id}`
    linePath = `${path}/line/${invoice.lines[0].id}`
    for (const status of ['sent', 'paid']) expect((await service.patch(path, { status })).status).toBe(200)
  })

  test('cannot be changed by any request', async () => {
    const [line] = invoice.lines
    for (const [method, url, body] of [
      ['PATCH', path, { number: '2' }],
      ['PATCH', path, { status: 'draft' }],
      ['PATCH', path, { lines: [{ id: line.id, notes: [{ id: line.notes[0].id, text: 'm' }] }] }],
      ['PUT', path, { number: '1', status: 'paid' }],
      ['POST', `${path}/line`, { text: 'b', amount: 2 }],
      ['PATCH', linePath, { amount: 2 }],
      ['DELETE', linePath, undefined],
      ['POST', `${linePath}/note`, { text: 'm' }],
      ['DELETE', `${linePath}/note/${line.notes[0].id}`, undefined],
      ['DELETE', path, undefined],
      ['DELETE', `/api/product/${product.id}`, undefined],
    ] as const) {
      const problem = await service.refuse(method, url, body, { code: 'CRUD_ERR_REFUSED' })
      expect(JSON.stringify(problem), `${method} ${url}`).toContain('a paid invoice cannot be changed')
    }
  })

  test('can be sent back as it is', async () => {
    const paid = await service.read(path)
    expect(await service.put(path, paid)).toMatchObject({ status: 200, body: paid })
  })
})
