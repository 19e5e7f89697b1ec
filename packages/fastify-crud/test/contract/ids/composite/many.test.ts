import { Type } from '@sinclair/typebox'
import { defineResources, type Model, needs, ownedBy, owns } from 'fastify-crud'
import { expect, test } from 'vitest'
import { useApp } from '../../../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../../../test/support/json-body.ts'

// More children than statements have parameters: 65,535 on PostgreSQL, 32,766 on SQLite.

const model = defineResources({
  sheet: { id: 'integer', fields: { name: Type.String() }, relations: { cells: owns.many('cell') } },
  cell: {
    id: ['sheet', 'row', 'column', 'style'],
    fields: { row: Type.Integer(), column: Type.String(), value: Type.Integer(), code: Type.Optional(Type.Integer()) },
    unique: [['sheet', 'code']],
    relations: { sheet: ownedBy('sheet'), style: needs.one('style') },
  },
  style: { id: 'text', fields: { name: Type.String() } },
}) as Model

const COUNT = 9_000

describeOnBoth(`${COUNT} children whose ids have several parts`, (database) => {
  const service = useApp(database, model, { plugin: { limits: { maxBody: 8 * 1024 * 1024 } } })

  const cells = (count: number, first: number, others: (n: number) => object): JsonBody[] =>
    Array.from({ length: count }, (_, index) => {
      const n = first + index
      return { row: n % 100, column: `c,${Math.floor(n / 100)}`, styleId: 's', value: n, ...others(n) }
    })

  test('are made by one POST, changed, exchanged and removed by PUT and PATCH', { timeout: 240_000 }, async () => {
    await service.add('/api/style', { id: 's', name: 's' })
    const sheet = await service.add('/api/sheet', { name: 'a', cells: cells(COUNT, 0, (code) => ({ code })) })
    const path = `/api/sheet/${sheet.id}`
    expect(sheet.cells).toHaveLength(COUNT)
    expect(new Set(sheet.cells.map(({ id }: JsonBody) => id)).size).toBe(COUNT)
    expect(await service.put(path, sheet)).toMatchObject({ status: 200, body: sheet })
    // All codes are handed on, and a third of the children is exchanged.
    const first = COUNT / 3
    const put = await service.put(path, {
      name: 'b',
      cells: cells(COUNT, first, (n) => ({ value: -n, code: COUNT + first - 1 - n })),
    })
    expect(put.status, JSON.stringify(put.body).slice(0, 300)).toBe(200)
    expect(put.body.cells).toHaveLength(COUNT)
    expect(put.body.cells.every(({ value }: JsonBody) => value <= -first)).toBe(true)
    const patched = await service.patch(path, { cells: cells(COUNT, first, (n) => ({ value: n })) })
    expect(patched.status).toBe(200)
    expect(patched.body.cells.every(({ value }: JsonBody) => value >= first)).toBe(true)
    const lastIsBad = cells(COUNT, first, (n) => ({ value: 1, styleId: n === first + COUNT - 1 ? 'none' : 's' }))
    const pointers = [`/cells/${COUNT - 1}/styleId`]
    await service.refuse('PUT', path, { name: 'c', cells: lastIsBad }, { code: 'CRUD_ERR_UNKNOWN_REFERENCE', pointers })
    expect((await service.put(path, { name: 'c' })).body).toMatchObject({ cells: [] })
    expect((await service.snapshot(['cell'])).cell).toEqual([])
  })
})
