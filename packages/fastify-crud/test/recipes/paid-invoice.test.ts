import { beforeEach, expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnBoth, describeServersOnDatabases } from '../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../test/support/json-body.ts'
import { type Request, useServers } from '../../../../test/support/servers.ts'
import { crudOf } from '../rules/support/crud-of.ts'
import { addDeep, answerOf, type DeepRecord, expectAllRefused, waysToChange } from './support/deep-record.ts'
import { deepened } from './support/deepened.ts'
import { recipeOf } from './support/recipe.ts'

const { resources, rules } = await recipeOf('A paid invoice, and everything below it')
const deep = deepened(resources, 'invoice')
const message = 'a paid invoice cannot be changed'
const refused = {
  status: 409,
  body: { code: 'CRUD_ERR_REFUSED', errors: expect.arrayContaining([expect.objectContaining({ message })]) },
}

describeOnBoth('the recipe of a paid invoice', (database) => {
  const service = useApp(database, deep, { plugin: { rules } })
  let tag: JsonBody
  let payer: JsonBody
  let invoice: DeepRecord
  let linePath: string
  let notePath: string

  beforeEach(async () => {
    tag = await service.add('/api/tag', { name: 'old' })
    payer = await service.add('/api/person', { name: 'Ada' })
    const lines = [{ text: 'a', amount: 1, notes: [{ text: 'n' }] }]
    const body = { number: '1', lines, tags: [{ id: tag.id }], payerId: payer.id }
    invoice = await addDeep(service.request, 'invoice', body)
    const [line] = invoice.record.lines
    linePath = `${invoice.path}/line/${line.id}`
    notePath = `${linePath}/note/${line.notes[0].id}`
    for (const status of ['sent', 'paid']) expect((await service.patch(invoice.path, { status })).status).toBe(200)
  })

  const way = (method: string, path: string, body?: unknown) => ({
    by: `${method} ${path}`,
    go: () => service.request(method, path, body),
  })

  test('keeps its fields, whichever way they are written', async () => {
    for (const change of [
      { number: '2' },
      { status: 'draft' },
      { payerId: null },
      { lines: [{ text: 'b', amount: 2 }] },
    ]) {
      await expectAllRefused(service, waysToChange(service, invoice, change), refused)
    }
  })

  test('keeps what is below it, at any depth and by any path', async () => {
    const [line] = invoice.record.lines
    const note = { id: line.notes[0].id, text: 'm' }
    await expectAllRefused(
      service,
      [
        way('POST', `${invoice.path}/line`, { text: 'b', amount: 2 }),
        way('PATCH', linePath, { amount: 2 }),
        way('PUT', linePath, { text: 'a', amount: 1 }),
        way('DELETE', linePath),
        way('POST', `${linePath}/note`, { text: 'm' }),
        way('PATCH', notePath, { text: 'm' }),
        way('DELETE', notePath),
        way('PATCH', linePath, { notes: [note] }),
        way(
          'PATCH',
          invoice.floorPath,
          invoice.inFloor({ id: invoice.record.id, lines: [{ id: line.id, notes: [note] }] }),
        ),
      ],
      refused,
    )
    const lines = invoice.inStore(crudOf(service)).owned(invoice.record.id, 'lines')
    await expectAllRefused(
      service,
      [
        { by: 'the store', go: () => answerOf(lines.owned(line.id, 'notes').delete(note.id)) },
        { by: 'the store', go: () => answerOf(lines.create({ text: 'b', amount: 2 })) },
      ],
      refused,
    )
  })

  test('keeps its links, from either end, and whom it knows', async () => {
    const other = await service.add('/api/tag', { name: 'new' })
    const { id } = invoice.record
    await expectAllRefused(
      service,
      [
        way('PATCH', invoice.path, { tags: [{ id: other.id }] }),
        way('PATCH', `/api/tag/${other.id}`, { invoices: [{ id }] }),
        way('PUT', `/api/tag/${tag.id}`, { name: 'old', invoices: [] }),
        way('POST', '/api/tag', { name: 'third', invoices: [{ id }] }),
        way('DELETE', `/api/tag/${tag.id}`),
        way('DELETE', `/api/person/${payer.id}`),
      ],
      refused,
    )
  })

  test('is not deleted, nor with what owns it', async () => {
    const { floorPath, path, floorId } = invoice
    await expectAllRefused(
      service,
      [
        way('DELETE', path),
        way('DELETE', floorPath),
        way('DELETE', path.split('/').slice(0, -2).join('/')),
        way('PUT', floorPath, { name: 'f', rooms: [] }),
        way('PUT', floorPath, invoice.inFloor()),
        { by: 'the store', go: () => answerOf(crudOf(service).resource('floor').delete(floorId)) },
      ],
      refused,
    )
  })

  test('can be put as it was got, also three levels up', async () => {
    for (const path of [invoice.path, invoice.floorPath]) {
      const got = await service.read(path)
      expect(await service.put(path, got)).toMatchObject({ status: 200, body: got })
    }
  })

  test('does not keep another one beside it', async () => {
    const added = invoice.inFloor({ number: '2', lines: [{ text: 'b', amount: 2 }] })
    expect((await service.patch(invoice.floorPath, added)).status).toBe(200)
  })
})

describeServersOnDatabases('the recipe of a paid invoice, on several servers', (database) => {
  const servers = useServers(database, deep, { plugin: { rules } })

  test('has the lines that it had when it was paid', async () => {
    const { path, floorPath, inFloor, record } = await addDeep(servers.one.request, 'invoice', { number: '1' })
    await servers.one.patch(path, { status: 'sent' })
    const line = { text: 'x', amount: 1 }
    const nested: Request = ['PATCH', floorPath, inFloor({ id: record.id, lines: [line] })]
    const own: Request = ['POST', `${path}/line`, line]
    const answers = await servers.atOnce(
      own,
      nested,
      own,
      ['PATCH', path, { status: 'paid' }],
      nested,
      own,
      nested,
      own,
    )
    expect(answers[3]?.status).toBe(200)
    const added = answers.filter(({ status }, index) => index !== 3 && status < 400)
    const others = answers.filter(({ status }) => status >= 400)
    for (const { body } of others) expect(body).toMatchObject(refused.body)
    const paid = await servers.one.read(path)
    expect(paid).toMatchObject({ status: 'paid' })
    expect(paid.lines).toHaveLength(added.length)
  })
})
