import { expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnDrivers } from '../../../../test/support/describe-on-databases.ts'
import { expectProblem } from '../../../../test/support/problem.ts'
import { anyId, chosenId, clientGivesIds, missingId, noIds, withIntegerIds } from '../../../../test/support/test-ids.ts'
import { ownsMany } from './models/owns-many.ts'
import { plainProduct, product } from './models/product.ts'

describeOnDrivers('POST /api/r', (database) => {
  const service = useApp(database, product)

  test('answers 201, Location, the record', async () => {
    const answer = await service.post('/api/product', { name: 'a', price: 1.5, stock: 3, note: 'n' })
    expect(answer.status).toBe(201)
    const { id } = answer.body
    expect(answer.body).toEqual({ id: anyId, name: 'a', price: 1.5, stock: 3, note: 'n' })
    expect(answer.headers.location).toMatch(new RegExp(`/api/product/${id}$`))
    expect(await service.read(String(answer.headers.location))).toEqual(answer.body)
  })

  test('the id is another one each time', async () => {
    const ids = [await service.add('/api/product', { name: 'a' }), await service.add('/api/product', { name: 'a' })]
    expect(ids).toMatchObject([{ id: anyId }, { id: anyId }])
    expect(ids[0].id).not.toBe(ids[1].id)
  })

  if (clientGivesIds) {
    test('id in the body is that of the record, and 409 if it exists', async () => {
      const id = chosenId('product')
      const answer = await service.post('/api/product', { id, name: 'a' })
      expect(answer).toMatchObject({ status: 201, body: { id, ...plainProduct('a') } })
      expect(answer.headers.location).toMatch(new RegExp(`/api/product/${id}$`))
      await service.refuse('POST', '/api/product', { id, name: 'b' }, { code: 'CRUD_ERR_EXISTS' })
    })

    test('what is no id in the body is 400', async () => {
      for (const id of [...noIds('product', chosenId('product')), null]) {
        await service.refuse('POST', '/api/product', { id, name: 'a' }, { code: 'CRUD_ERR_INVALID', pointers: ['/id'] })
      }
    })

    test('without an id in the body is 400', async () => {
      const send = (body: string) => service.raw('POST', '/api/product', body)
      expectProblem(await send('{"name":"a"}'), { code: 'CRUD_ERR_INVALID', pointers: ['/id'] })
    })
  } else {
    test('id in the body is 400', async () => {
      for (const id of [1, missingId('product'), '1', null]) {
        await service.refuse('POST', '/api/product', { id, name: 'a' }, { code: 'CRUD_ERR_INVALID', pointers: ['/id'] })
      }
    })
  }

  test('without a required field is 400 with the pointer', async () => {
    await service.refuse('POST', '/api/product', { price: 1 }, { code: 'CRUD_ERR_INVALID', pointers: ['/name'] })
    await service.refuse('POST', '/api/product', {}, { code: 'CRUD_ERR_INVALID', pointers: ['/name'] })
  })
})

describeOnDrivers('POST /api/r/:id', (database) => {
  const service = useApp(database, product)

  test('answers 201 and creates the record under that id', async () => {
    await service.add('/api/product', { name: 'first' })
    const id = chosenId('product')
    const answer = await service.post(`/api/product/${id}`, { name: 'a' })
    expect(answer.status).toBe(201)
    expect(answer.body).toEqual({ id, ...plainProduct('a') })
    expect(answer.headers.location).toMatch(new RegExp(`/api/product/${id}$`))
    expect(await service.read(`/api/product/${id}`)).toEqual(answer.body)
  })

  test('409 if it exists', async () => {
    const { id } = await service.add('/api/product', { name: 'a' })
    await service.refuse('POST', `/api/product/${id}`, { name: 'b' }, { code: 'CRUD_ERR_EXISTS' })
  })

  test('another id in the body is 400', async () => {
    await service.refuse(
      'POST',
      `/api/product/${chosenId('product')}`,
      { id: chosenId('product'), name: 'a' },
      { code: 'CRUD_ERR_INVALID', pointers: ['/id'] },
    )
  })

  test('a body that does not fit is 400, also where the id is taken', async () => {
    const { id } = await service.add('/api/product', { name: 'a' })
    await service.refuse('POST', `/api/product/${id}`, {}, { code: 'CRUD_ERR_INVALID', pointers: ['/name'] })
  })
})

describeOnDrivers('POST, where ids are integers', (database) => {
  const service = useApp(database, withIntegerIds(product))

  test('the database gives an integer', async () => {
    expect((await service.add('/api/product', { name: 'a' })).id).toSatisfy(Number.isSafeInteger)
  })

  test('later creates do not collide with an id that is given', async () => {
    const { id } = await service.add('/api/product', { name: 'a' })
    for (const next of [id + 1, id + 2, id + 4])
      expect((await service.post(`/api/product/${next}`, { name: 'b' })).status).toBe(201)
    const ids = [id, id + 1, id + 2, id + 4]
    for (let i = 0; i < 5; i++) ids.push((await service.add('/api/product', { name: 'c' })).id)
    expect(new Set(ids).size).toBe(9)
    expect((await service.read('/api/product')).count).toBe(9)
  })

  test('a lower id given later does not make creates collide', async () => {
    const { id } = await service.add('/api/product', { name: 'a' })
    expect((await service.post(`/api/product/${id + 20}`, { name: 'b' })).status).toBe(201)
    expect((await service.post(`/api/product/${id + 5}`, { name: 'c' })).status).toBe(201)
    for (let i = 0; i < 3; i++) await service.add('/api/product', { name: 'd' })
    expect((await service.read('/api/product')).count).toBe(6)
  })

  test('an id that no column can hold is 400', async () => {
    for (const id of ['2147483648', '9007199254740993', '99999999999999999999']) {
      await service.refuse('POST', `/api/product/${id}`, { name: 'a' }, { code: 'CRUD_ERR_INVALID' })
    }
  })

  test('an id that is not digits is 400', async () => {
    for (const id of ['x', '01', '-1', '1.0', '1e3', '%201']) {
      await service.refuse('POST', `/api/product/${id}`, { name: 'a' }, { code: 'CRUD_ERR_INVALID' })
    }
  })
})

describeOnDrivers('POST below an owner', (database) => {
  const service = useApp(database, ownsMany)

  test('under an id: 201, and 409 if it exists, whoever owns it', async () => {
    const first = await service.add('/api/parent', { name: 'a', children: [{ name: 'c' }] })
    const second = await service.add('/api/parent', { name: 'b' })
    const taken = first.children[0].id
    const free = chosenId('child')
    const answer = await service.post(`/api/parent/${second.id}/child/${free}`, { name: 'd' })
    expect(answer.status).toBe(201)
    expect(answer.body).toEqual({ id: free, name: 'd', note: null, grade: 1 })
    expect(answer.headers.location).toMatch(new RegExp(`/api/parent/${second.id}/child/${free}$`))
    for (const owner of [first.id, second.id]) {
      await service.refuse('POST', `/api/parent/${owner}/child/${taken}`, { name: 'e' }, { code: 'CRUD_ERR_EXISTS' })
    }
    await service.refuse(
      'POST',
      `/api/parent/${missingId('parent')}/child/${chosenId('child')}`,
      { name: 'e' },
      { code: 'CRUD_ERR_NOT_FOUND' },
    )
    const later = await service.add('/api/parent', { name: 'c', children: [1, 2, 3].map((n) => ({ name: `${n}` })) })
    expect(later.children).toHaveLength(3)
  })
})
