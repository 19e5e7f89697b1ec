import { beforeEach, expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnBoth, describeServersOnDatabases } from '../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../test/support/json-body.ts'
import { type Request, useServers } from '../../../../test/support/servers.ts'
import { addDeep, type DeepRecord, waysToChange } from './support/deep-record.ts'
import { deepened } from './support/deepened.ts'
import { recipeOf } from './support/recipe.ts'

const { resources, rules } = await recipeOf('A total over the lines')
const deep = deepened(resources, 'invoice')
const lines = [
  { quantity: 2, price: 3 },
  { quantity: 1, price: 4 },
]

describeOnBoth('the recipe of a total', (database) => {
  const service = useApp(database, deep, { plugin: { rules } })
  let invoice: DeepRecord
  let first: JsonBody
  let second: JsonBody
  beforeEach(async () => {
    invoice = await addDeep(service.request, 'invoice', { number: '1', lines })
    ;[first, second] = invoice.record.lines
  })

  const totalNow = async () => (await service.read(invoice.path)).total

  test('is in the answer that adds the lines, three levels below', () => {
    expect(invoice.record).toMatchObject({ total: 10, lines: [{ amount: 6 }, { amount: 4 }] })
  })

  test('follows the lines, by whichever way they change', async () => {
    let quantity = 10
    for (const { by } of waysToChange(service, invoice, {})) {
      const changed = [
        { id: first.id, quantity, price: 3 },
        { id: second.id, quantity: 1, price: 4 },
      ]
      const way = waysToChange(service, invoice, { lines: changed }).find((one) => one.by === by)
      expect((await way?.go())?.status, by).toBe(200)
      expect(await totalNow(), by).toBe(quantity * 3 + 4)
      quantity += 1
    }
  })

  test('follows what is done on the path of a line', async () => {
    const path = `${invoice.path}/line`
    expect((await service.patch(`${path}/${second.id}`, { quantity: 5 })).body).toMatchObject({ amount: 20 })
    expect(await totalNow()).toBe(26)
    await service.request('POST', path, { quantity: 1, price: 100 })
    expect(await totalNow()).toBe(126)
    await service.request('DELETE', `${path}/${first.id}`)
    expect(await totalNow()).toBe(120)
  })

  test('cannot be set, nor can the amount of a line', async () => {
    for (const [path, body] of [
      [invoice.path, { total: 1 }],
      [`${invoice.path}/line/${first.id}`, { amount: 1 }],
      [invoice.floorPath, invoice.inFloor({ id: invoice.record.id, total: 1 })],
      [invoice.path, { lines: [{ id: first.id, amount: 1 }, { id: second.id }] }],
    ] as const) {
      await service.refuse('PATCH', path, body, { code: 'CRUD_ERR_INVALID' })
    }
    const put = { ...invoice.record, total: 1, lines: [{ ...first, amount: 1 }, second] }
    expect((await service.put(invoice.path, put)).body).toEqual(invoice.record)
  })
})

describeServersOnDatabases('the recipe of a total, on several servers', (database) => {
  const servers = useServers(database, deep, { plugin: { rules } })

  test('has every line that was added at the same time', async () => {
    const { path } = await addDeep(servers.one.request, 'invoice', { number: '1' })
    const adding = Array.from({ length: 6 }, (): Request => ['POST', `${path}/line`, { quantity: 1, price: 7 }])
    const answers = await servers.atOnce(...adding)
    expect(answers.map(({ status }) => status)).toEqual(adding.map(() => 201))
    expect(await servers.one.read(path)).toMatchObject({ total: 42 })
  })
})
