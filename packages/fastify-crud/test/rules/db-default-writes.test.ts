import { expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import { writesIn } from '../../../../test/support/statement-log.ts'
import { createFilledTables, filled } from './support/filled.ts'
import { storeWith } from './support/store-with.ts'

describeOnBoth('what the database gives new rows', (database) => {
  const service = useApp(database, filled, { tables: createFilledTables })

  test('is in a record that has nothing else', async () => {
    const { id, value } = await service.add('/api/token', {})
    expect(value).toMatch(/^[0-9a-f-]{32,36}$/)
    expect(await service.add('/api/token', { value: '0198c0a8-0000-7000-8000-000000000001' })).toMatchObject({
      value: '0198c0a8-0000-7000-8000-000000000001',
    })
    expect(await service.read(`/api/token/${id}`)).toEqual({ id, value })
    expect(await service.add('/api/token/77', {})).toMatchObject({ id: 77, value: expect.any(String) })
  })

  test('stays with a PUT that omits it, at each depth, and is given to what the PUT adds', async () => {
    const veins = [{ name: 'a', color: 'red' }, { name: 'b' }]
    const before = await service.add('/api/node', { name: 'n', rank: 3, leaf: { name: 'l', color: 'brown', veins } })
    const [a] = before.leaf.veins
    const body = { name: 'm', leaf: { name: 'l', veins: [{ id: a.id, name: 'a' }, { name: 'c' }] } }
    const { status, body: after } = await service.put(`/api/node/${before.id}`, body)
    expect(status).toBe(200)
    expect(after).toMatchObject({
      name: 'm',
      code: before.code,
      rank: 3,
      leaf: {
        color: 'brown',
        veins: [
          { id: a.id, color: 'red' },
          { name: 'c', color: 'pale', size: 3 },
        ],
      },
    })
  })

  test('runs no UPDATE for a PUT that omits it and changes nothing else', async () => {
    const { id } = await service.add('/api/node', { name: 'n', rank: 3 })
    const statements = await service.statements(() => service.put(`/api/node/${id}`, { name: 'n' }))
    expect(writesIn(statements)).toEqual([])
  })

  test('can be null where the field is optional and the body says so, and is else refused', async () => {
    expect(await service.add('/api/node', { name: 'n' })).toMatchObject({ mood: 'calm' })
    const { id } = await service.add('/api/node', { name: 'n', mood: null })
    expect(await service.read(`/api/node/${id}`)).toMatchObject({ mood: null })
    expect(await service.put(`/api/node/${id}`, { name: 'n' })).toMatchObject({ body: { mood: null } })
    for (const [method, path] of [
      ['POST', '/api/node'],
      ['PUT', `/api/node/${id}`],
    ] as const) {
      const problem = await service.refuse(method, path, { name: 'n', rank: null }, { code: 'CRUD_ERR_INVALID' })
      expect(problem.errors).toMatchObject([{ pointer: '/rank', message: 'must not be null' }])
    }
  })

  test('is changed by a PATCH as other fields are', async () => {
    const { id } = await service.add('/api/node', { name: 'n' })
    expect(await service.patch(`/api/node/${id}`, { rank: 5 })).toMatchObject({ body: { rank: 5, twice: 10 } })
    expect(await service.patch(`/api/node/${id}`, { leaf: { name: 'l' } })).toMatchObject({
      body: { rank: 5, leaf: { color: 'green' } },
    })
  })

  test('is given in trees, whichever rows have values of their own: owners come first, and ids are in the order of the body', async () => {
    const body = {
      name: 'root',
      rank: 1,
      nodes: [
        { name: 'a', nodes: [{ name: 'aa', rank: 2, nodes: [{ name: 'aaa' }] }, { name: 'ab' }] },
        { name: 'b', rank: 3, nodes: [{ name: 'ba' }] },
        { name: 'c', nodes: [{ name: 'ca', rank: 4 }] },
      ],
    }
    const root = await service.add('/api/node', body)
    const shape = ({ name, rank, nodes }: { name: string; rank: number; nodes: never[] }): unknown => [
      name,
      rank,
      ...nodes.map(shape),
    ]
    expect(shape(root)).toEqual([
      'root',
      1,
      ['a', 7, ['aa', 2, ['aaa', 7]], ['ab', 7]],
      ['b', 3, ['ba', 7]],
      ['c', 7, ['ca', 4]],
    ])
  })

  test('is given to many rows at once, in the order of the body', async () => {
    const sizes = Array.from({ length: 40 }, (_, index) => (index % 3 === 0 ? {} : { size: index }))
    const veins = sizes.map((size, index) => ({ name: `v${index}`, ...size, ...(index % 2 === 0 && { color: 'red' }) }))
    const { id, leaf } = await service.add('/api/node', { name: 'n', leaf: { name: 'l', veins } })
    const expected = veins.map((vein) => ({ color: 'pale', size: 3, ...vein }))
    expect(leaf.veins).toMatchObject(expected)
    const more = [{ name: 'x' }, { name: 'y', size: 1 }, { name: 'z' }]
    const { body } = await service.patch(`/api/node/${id}`, { leaf: { veins: more } })
    expect(body.leaf.veins.slice(-3)).toMatchObject([{ size: 3 }, { size: 1 }, { size: 3 }])
  })

  test('is not in the way of `return=minimal`, and a write that is undone shows it', async () => {
    const minimal = await service.request('POST', '/api/node', { name: 'n' }, { prefer: 'return=minimal' })
    expect(minimal.status).toBe(201)
    const [{ id }] = (await service.read('/api/node')).rows
    expect(await service.read(`/api/node/${id}`)).toMatchObject({ rank: 7 })
    const undone = await service.request(
      'POST',
      '/api/node',
      { name: 'm', leaf: { name: 'l' } },
      { prefer: 'tx=rollback' },
    )
    expect(undone.body).toMatchObject({ rank: 7, code: expect.any(String), leaf: { color: 'green' } })
    expect((await service.read('/api/node')).count).toBe(1)
  })

  test('is there in the store, in a transaction of the application, and in a dry run, whose plan says nothing of it', async () => {
    const store = storeWith(service.db, filled, {})
    const { plan, record } = await store.resource('node').create({ name: 'n', rank: 1 }, { dryRun: true })
    expect(record).toMatchObject({ rank: 1, code: expect.any(String) })
    expect(plan.steps[0].rows[0].values).toEqual({ parentId: null, name: 'n', rank: 1 })
    await service.db.transaction().execute(async (transaction) => {
      const nodes = [{ name: 'a' }, { name: 'b', rank: 2 }, { name: 'c' }]
      const node = await storeWith(transaction, filled, {}).resource('node').create({ name: 'n', nodes })
      expect(node.nodes).toMatchObject([{ rank: 7 }, { rank: 2 }, { rank: 7 }])
    })
  })

  test('belongs to a unique key as any value does', async () => {
    const { code } = await service.add('/api/node', { name: 'n' })
    await service.refuse('POST', '/api/node', { name: 'm', code }, { code: 'CRUD_ERR_NOT_UNIQUE', pointers: ['/code'] })
    const nodes = [{ name: 'a', code: 'x' }, { name: 'b' }, { name: 'c', code: 'x' }]
    await service.refuse('POST', '/api/node', { name: 'm', nodes }, { code: 'CRUD_ERR_NOT_UNIQUE' })
    await service.add('/api/node', { name: 'm', nodes: nodes.slice(0, 2) })
  })

  test('cannot be given by a body where the field is read-only, and PUT ignores it', async () => {
    const node = await service.add('/api/node', { name: 'n' })
    expect(node).toMatchObject({ twice: 14 })
    await service.refuse('POST', '/api/node', { name: 'n', twice: 3 }, { code: 'CRUD_ERR_INVALID' })
    const { body } = await service.put(`/api/node/${node.id}`, { ...node, rank: 1, twice: 99 })
    expect(body).toMatchObject({ rank: 1, twice: 2 })
  })
})
