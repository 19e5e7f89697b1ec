import { expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import { ownsMany } from './models/owns-many.ts'
import { product } from './models/product.ts'
import { threeLevels } from './models/three-levels.ts'

describeOnBoth('body values are taken as they are', (database) => {
  const service = useApp(database, product)
  const wrong: [string, unknown][] = [
    ['price', '12'],
    ['price', true],
    ['price', ''],
    ['price', [1]],
    ['price', {}],
    ['price', -1],
    ['stock', '1'],
    ['stock', 1.5],
    ['stock', null],
    ['stock', false],
    ['name', null],
    ['name', 12],
    ['name', true],
    ['name', ''],
    ['name', ['a']],
    ['name', { a: 1 }],
    ['note', 0],
    ['note', false],
  ]

  for (const [name, value] of wrong) {
    test(`nothing is converted: ${name} ${JSON.stringify(value)} is 400`, async () => {
      const { id } = await service.add('/api/product', { name: 'a' })
      const body = { name: 'b', [name]: value }
      const refused = { code: 'CRUD_ERR_INVALID', pointers: [`/${name}`] } as const
      await service.refuse('POST', '/api/product', body, refused)
      await service.refuse('PUT', `/api/product/${id}`, body, refused)
      await service.refuse('PATCH', `/api/product/${id}`, body, refused)
    })
  }

  test('`null` is not an empty string', async () => {
    const { id } = await service.add('/api/product', { name: 'a', note: null })
    expect((await service.read(`/api/product/${id}`)).note).toBeNull()
    await service.patch(`/api/product/${id}`, { note: '' })
    expect((await service.read(`/api/product/${id}`)).note).toBe('')
  })

  for (const body of [null, [], [{ name: 'a' }], 'a', 1, true]) {
    test(`a body that is no object is 400: ${JSON.stringify(body)}`, async () => {
      const { id } = await service.add('/api/product', { name: 'a' })
      const refused = { code: 'CRUD_ERR_INVALID', pointers: [''] } as const
      // An array is the bodies of many records there.
      if (!Array.isArray(body)) {
        await service.refuse('POST', '/api/product', body, refused)
        await service.refuse('PUT', '/api/product', body, { code: 'CRUD_ERR_INVALID' })
      }
      await service.refuse('PUT', `/api/product/${id}`, body, refused)
      await service.refuse('PATCH', `/api/product/${id}`, body, refused)
    })
  }

  test('no body at all is 400', async () => {
    const { id } = await service.add('/api/product', { name: 'a' })
    for (const [method, path] of [
      ['POST', '/api/product'],
      ['PUT', `/api/product/${id}`],
      ['PATCH', `/api/product/${id}`],
    ] as const) {
      await service.refuse(method, path, undefined, { code: 'CRUD_ERR_INVALID' })
    }
  })

  test('`errors` lists every problem of a body, not only the first', async () => {
    await service.refuse(
      'POST',
      '/api/product',
      { price: '1', stock: null, x: 1, note: 5 },
      { code: 'CRUD_ERR_INVALID', pointers: ['/name', '/price', '/stock', '/x', '/note'] },
    )
  })

  test('a body that does not fit sends no statement', async () => {
    const statements = await service.statements(async () => {
      await service.post('/api/product', {})
      await service.put('/api/product/1', {})
      await service.patch('/api/product/1', { name: null })
    })
    expect(statements).toEqual([])
  })
})

describeOnBoth('an unknown property', (database) => {
  const service = useApp(database, product)

  for (const name of ['x', 'Name', 'Id', 'toString', 'constructor', 'hasOwnProperty', '', ' ', 'na me', '0']) {
    test(`is 400 and named: ${JSON.stringify(name)}`, async () => {
      const { id } = await service.add('/api/product', { name: 'a' })
      const body = { name: 'b', [name]: 1 }
      const refused = { code: 'CRUD_ERR_INVALID', pointers: [`/${name}`] } as const
      await service.refuse('POST', '/api/product', body, refused)
      await service.refuse('PUT', `/api/product/${id}`, body, refused)
      await service.refuse('PATCH', `/api/product/${id}`, body, refused)
    })
  }

  test('is named by a JSON pointer, with / and ~ escaped', async () => {
    await service.refuse(
      'POST',
      '/api/product',
      { name: 'a', 'x/y~z': 1 },
      { code: 'CRUD_ERR_INVALID', pointers: ['/x~1y~0z'] },
    )
  })

  test('is 400 also when its value is null', async () => {
    await service.refuse('POST', '/api/product', { name: 'a', x: null }, { code: 'CRUD_ERR_INVALID', pointers: ['/x'] })
  })

  test('__proto__ and constructor.prototype in a body are 400', async () => {
    for (const text of ['{"name":"a","__proto__":{"price":1}}', '{"name":"a","constructor":{"prototype":{"x":1}}}']) {
      const before = await service.snapshot()
      const answer = await service.raw('POST', '/api/product', text)
      expect(answer.status).toBe(400)
      expect(answer.body.code).toBe('CRUD_ERR_INVALID')
      expect(await service.snapshot()).toEqual(before)
    }
  })
})

describeOnBoth('an unknown property, at any depth', (database) => {
  const service = useApp(database, threeLevels)

  test('is 400 and named: three levels down', async () => {
    const body = { name: 'a', bs: [{ name: 'b' }, { name: 'b', cs: [{ name: 'c' }, { name: 'c', x: 1 }] }] }
    const refused = { code: 'CRUD_ERR_INVALID', pointers: ['/bs/1/cs/1/x'] } as const
    await service.refuse('POST', '/api/a', body, refused)
    const { id } = await service.add('/api/a', { name: 'a' })
    await service.refuse('PUT', `/api/a/${id}`, body, refused)
    await service.refuse('PATCH', `/api/a/${id}`, body, refused)
  })

  test('every problem at every depth is listed', async () => {
    const body = {
      nam: 'a',
      bs: [{ x: 1 }, { name: 'b', cs: [{ name: 1 }, {}] }],
      only: { name: null, leaves: [{ name: 'l' }] },
    }
    await service.refuse('POST', '/api/a', body, {
      code: 'CRUD_ERR_INVALID',
      pointers: [
        '/nam',
        '/name',
        '/bs/0/x',
        '/bs/0/name',
        '/bs/1/cs/0/name',
        '/bs/1/cs/1/name',
        '/only/name',
        '/only/leaves/0/kindId',
      ],
    })
  })

  test('the names of the other side of a relation are unknown', async () => {
    await service.refuse(
      'POST',
      '/api/a',
      { name: 'a', bs: [{ name: 'b', aId: 1, a: { id: 1 } }] },
      {
        code: 'CRUD_ERR_INVALID',
        pointers: ['/bs/0/aId', '/bs/0/a'],
      },
    )
  })
})

describeOnBoth('children whose bodies have different sets of fields', (database) => {
  const service = useApp(database, ownsMany)

  test('defaults apply to each', async () => {
    const children = [
      { name: '1' },
      { name: '2', grade: 5 },
      { name: '3', note: 'n' },
      { name: '4', note: null, grade: 0 },
    ]
    const created = await service.add('/api/parent', { name: 'a', children })
    const plain = created.children.map(({ id: _, ...fields }: { id: number }) => fields)
    const expected = [
      { name: '1', note: null, grade: 1 },
      { name: '2', note: null, grade: 5 },
      { name: '3', note: 'n', grade: 1 },
      { name: '4', note: null, grade: 0 },
    ]
    expect(plain).toEqual(expected)
    const replaced = await service.put(`/api/parent/${created.id}`, { name: 'a', children })
    expect(replaced.body.children.map(({ id: _, ...fields }: { id: number }) => fields)).toEqual(expected)
  })
})
