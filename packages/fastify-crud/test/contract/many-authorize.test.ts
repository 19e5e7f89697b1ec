import type { AccessQuestion } from 'fastify-crud'
import { beforeEach, expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../test/support/json-body.ts'
import { expectProblem } from '../../../../test/support/problem.ts'
import { shopFloor } from './models/shop-floor.ts'

describeOnBoth('`authorize` and writes of many records', (database) => {
  let asked: AccessQuestion[] = []
  let refused: (question: AccessQuestion) => boolean = () => false
  const service = useApp(database, shopFloor, {
    plugin: {
      authorize(_request, question) {
        asked.push(question)
        return !refused(question)
      },
    },
  })
  let maker: JsonBody
  let a: JsonBody
  let b: JsonBody

  beforeEach(async () => {
    refused = () => false
    maker = await service.add('/api/maker', { name: 'm' })
    const bodies = ['a', 'b'].map((code) => ({ code, price: 1, makerId: maker.id }))
    ;[a, b] = (await service.add('/api/item', bodies)).rows
    asked = []
  })

  const ofItems = () =>
    asked
      .filter(({ resource, action }) => resource === 'item' && action !== 'View')
      .map(({ action, id }) => (id === undefined ? action : `${action} ${id}`))

  test('it is asked about the list, and then about each record by its id', async () => {
    await service.patch('/api/item', [
      { id: a.id, price: 2 },
      { id: b.id, price: 3 },
    ])
    expect(ofItems()).toEqual(['Edit', `Edit ${a.id}`, `Edit ${b.id}`])
  })

  test('it is asked about the records that match a filter', async () => {
    const prefer = { prefer: 'max-affected=2' }
    await service.request('DELETE', '/api/item?filter[code]=b', undefined, prefer)
    expect(ofItems()).toEqual(['Delete', `Delete ${b.id}`])
  })

  test('it is asked about Edit and Add, with `by`', async () => {
    await service.put('/api/item?by=code', { code: 'a', makerId: maker.id })
    expect(ofItems()).toEqual(['Edit', 'Add', `Edit ${a.id}`])
    refused = ({ action }) => action === 'Add'
    expectProblem(await service.put('/api/item?by=code', { code: 'a', makerId: maker.id }), {
      code: 'CRUD_ERR_FORBIDDEN',
    })
  })

  test('one record that may not be written refuses all of them', async () => {
    refused = ({ id }) => id === b.id
    await service.refuse(
      'PATCH',
      '/api/item',
      [
        { id: a.id, price: 2 },
        { id: b.id, price: 3 },
      ],
      {
        code: 'CRUD_ERR_FORBIDDEN',
      },
    )
    const prefer = { prefer: 'max-affected=2' }
    expectProblem(await service.request('DELETE', '/api/item?filter[price]=1', undefined, prefer), {
      code: 'CRUD_ERR_FORBIDDEN',
    })
    expect((await service.read('/api/item')).count).toBe(2)
  })

  test('records that it hides are not in the answer', async () => {
    refused = ({ action, resource }) => action === 'View' && resource === 'maker'
    const { rows } = (await service.patch('/api/item', [{ id: a.id, price: 2 }])).body
    expect(rows).toMatchObject([{ id: a.id, price: 2 }])
    expect(rows[0]).not.toHaveProperty('maker')
    refused = ({ action, resource }) => action === 'View' && resource === 'item'
    const hidden = await service.patch('/api/item', [{ id: a.id, price: 3 }])
    expect(hidden).toMatchObject({ status: 200, body: { rows: [] } })
  })
})
