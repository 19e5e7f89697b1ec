import { beforeEach, expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnBoth, describeServersOnDatabases } from '../../../../test/support/describe-on-databases.ts'
import { resultOf } from '../../../../test/support/result-of.ts'
import { useServers } from '../../../../test/support/servers.ts'
import { crudOf } from '../rules/support/crud-of.ts'
import { addDeep, answerOf, type DeepRecord, expectAllRefused, waysToChange } from './support/deep-record.ts'
import { deepened } from './support/deepened.ts'
import { recipeOf } from './support/recipe.ts'

const { resources, rules } = await recipeOf('A status that only goes where it may')
const deep = deepened(resources, 'invoice')
const refused = (message: string) => ({ status: 409, body: { code: 'CRUD_ERR_REFUSED', errors: [{ message }] } })

describeOnBoth('the recipe of a status', (database) => {
  const service = useApp(database, deep, { plugin: { rules } })
  let invoice: DeepRecord
  beforeEach(async () => {
    invoice = await addDeep(service.request, 'invoice', { number: '1' })
  })

  test('begins with the first state, which no way can skip', async () => {
    expect(invoice.record.status).toBe('draft')
    const wrong = refused("status of a new invoice is 'draft'")
    const body = { number: '2', status: 'paid' }
    const { path, floorPath, inFloor, inStore } = invoice
    const collection = path.slice(0, path.lastIndexOf('/'))
    await expectAllRefused(
      service,
      [
        { by: 'POST', go: () => service.post(collection, body) },
        { by: 'POST with an id', go: () => service.post(`${collection}/77`, body) },
        { by: 'POST of all', go: () => service.post('/api/floor', { rooms: [{ shelves: [{ items: [body] }] }] }) },
        { by: 'PATCH of the owner', go: () => service.patch(floorPath, inFloor(body)) },
        { by: 'PUT of the owner', go: () => service.put(floorPath, inFloor(body)) },
        { by: 'the store', go: () => answerOf(inStore(crudOf(service)).create(body)) },
      ],
      wrong,
    )
  })

  test('goes where the map says, by each way', async () => {
    for (const { by, go } of waysToChange(service, invoice, { status: 'sent' })) {
      expect(await go(), by).toMatchObject({ status: 200 })
      expect(await service.read(invoice.path), by).toMatchObject({ status: 'sent' })
      await service.db.updateTable('invoice').set({ status: 'draft' }).execute()
    }
  })

  test('goes nowhere else, by no way', async () => {
    const toPaid = waysToChange(service, invoice, { status: 'paid' })
    await expectAllRefused(service, toPaid, refused("status cannot change from 'draft' to 'paid'"))
    await service.patch(invoice.path, { status: 'void' })
    const back = waysToChange(service, invoice, { status: 'draft' })
    await expectAllRefused(service, back, refused("status cannot change from 'void' to 'draft'"))
  })

  test('cannot be avoided by a PUT that leaves it out: the default is a state, too', async () => {
    await service.patch(invoice.path, { status: 'sent' })
    await service.refuse('PUT', invoice.path, { number: '1' }, { code: 'CRUD_ERR_REFUSED' })
    await service.refuse('PUT', invoice.floorPath, invoice.inFloor({ id: invoice.record.id, number: '1' }), {
      code: 'CRUD_ERR_REFUSED',
    })
  })
})

describeServersOnDatabases('the recipe of a status, on several servers', (database) => {
  const servers = useServers(database, deep, { plugin: { rules } })

  test('takes one of two ways that begin at the same state', async () => {
    for (let round = 0; round < 5; round++) {
      const { path, floorPath, inFloor, record } = await addDeep(servers.one.request, 'invoice', { number: '1' })
      await servers.one.patch(path, { status: 'sent' })
      const answers = await servers.atOnce(
        ['PATCH', path, { status: 'paid' }],
        ['PATCH', floorPath, inFloor({ id: record.id, status: 'void' })],
      )
      expect(answers.map(resultOf).sort()).toEqual(['200', '409 CRUD_ERR_REFUSED'])
      const isPaid = answers[0]?.status === 200
      expect(await servers.one.read(path)).toMatchObject({ status: isPaid ? 'paid' : 'void' })
    }
  })
})
