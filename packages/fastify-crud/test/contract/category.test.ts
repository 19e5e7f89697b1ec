import { beforeEach, expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../test/support/json-body.ts'
import { updatesIn } from '../../../../test/support/statement-log.ts'
import { anyId, chosenId, codeOfForeignId } from '../../../../test/support/test-ids.ts'
import { category } from './models/category.ts'

describeOnBoth('a resource that owns itself', (database) => {
  const service = useApp(database, category)
  let root: JsonBody
  let middle: JsonBody
  let leaf: JsonBody

  beforeEach(async () => {
    const categories = [{ name: '1', categories: [{ name: '1.1' }, { name: '1.2' }] }, { name: '2' }]
    root = await service.add('/api/category', { name: 'root', categories })
    middle = root.categories[0]
    leaf = middle.categories[0]
  })

  test('POST of three levels', async () => {
    const id = anyId
    expect(root).toEqual({
      id,
      name: 'root',
      categories: [
        {
          id,
          name: '1',
          categories: [
            { id, name: '1.1', categories: [] },
            { id, name: '1.2', categories: [] },
          ],
        },
        { id, name: '2', categories: [] },
      ],
    })
    expect(await service.read(`/api/category/${root.id}`)).toEqual(root)
  })

  test('`GET /api/category` lists the roots, `POST` makes one', async () => {
    const second = await service.add('/api/category', { name: 'second' })
    expect(second).toEqual({ id: second.id, name: 'second', categories: [] })
    expect(await service.read('/api/category')).toEqual({ rows: [root, second], count: 2 })
  })

  test('`/api/category/:id` reaches any node', async () => {
    expect(await service.read(`/api/category/${middle.id}`)).toEqual(middle)
    expect(await service.read(`/api/category/${leaf.id}`)).toEqual(leaf)
    expect((await service.patch(`/api/category/${leaf.id}`, { name: 'new' })).body).toEqual({ ...leaf, name: 'new' })
    expect((await service.delete(`/api/category/${leaf.id}`)).status).toBe(204)
    expect((await service.read(`/api/category/${root.id}`)).categories[0].categories).toEqual([middle.categories[1]])
  })

  test('`/api/category/:category_id/category[/:id]` the children of any node', async () => {
    expect(await service.read(`/api/category/${root.id}/category`)).toEqual({ rows: root.categories, count: 2 })
    expect(await service.read(`/api/category/${middle.id}/category`)).toEqual({ rows: middle.categories, count: 2 })
    expect(await service.read(`/api/category/${middle.id}/category/${leaf.id}`)).toEqual(leaf)
    await service.refuse('GET', `/api/category/${root.id}/category/${leaf.id}`, undefined, {
      code: 'CRUD_ERR_NOT_FOUND',
    })
    await service.refuse('DELETE', `/api/category/${root.id}/category/${leaf.id}`, undefined, {
      code: 'CRUD_ERR_NOT_FOUND',
    })
    const answer = await service.post(`/api/category/${leaf.id}/category`, {
      name: '1.1.1',
      categories: [{ name: 'x' }],
    })
    expect(answer.status).toBe(201)
    expect(answer.headers.location).toMatch(new RegExp(`/api/category/${leaf.id}/category/${answer.body.id}$`))
    expect(await service.read(`/api/category/${leaf.id}`)).toEqual({ ...leaf, categories: [answer.body] })
  })

  test('PUT in the middle', async () => {
    const second = middle.categories[1]
    const body = {
      name: 'M',
      categories: [{ id: second.id, name: 'kept', categories: [{ name: 'deep' }] }, { name: 'n' }],
    }
    const answer = await service.put(`/api/category/${middle.id}`, body)
    expect(answer.status).toBe(200)
    const id = anyId
    expect(answer.body).toEqual({
      id: middle.id,
      name: 'M',
      categories: [
        { id: second.id, name: 'kept', categories: [{ id, name: 'deep', categories: [] }] },
        { id, name: 'n', categories: [] },
      ],
    })
    expect(await service.read(`/api/category/${root.id}`)).toEqual({
      ...root,
      categories: [answer.body, root.categories[1]],
    })
    await service.refuse('GET', `/api/category/${leaf.id}`, undefined, { code: 'CRUD_ERR_NOT_FOUND' })
  })

  test('PUT of what GET returned runs no UPDATE, at the root and in the middle', async () => {
    for (const node of [root, middle, leaf]) {
      const statements = await service.statements(async () => {
        expect((await service.put(`/api/category/${node.id}`, node)).body).toEqual(node)
      })
      expect(updatesIn(statements)).toEqual([])
    }
    expect(await service.read('/api/category')).toEqual({ rows: [root], count: 1 })
  })

  test('PATCH deep inside changes that one only', async () => {
    const change = { categories: [{ id: middle.id, categories: [{ id: leaf.id, name: 'new' }] }] }
    const { body } = await service.patch(`/api/category/${root.id}`, change)
    expect(body).toEqual({
      ...root,
      categories: [{ ...middle, categories: [{ ...leaf, name: 'new' }, middle.categories[1]] }, root.categories[1]],
    })
  })

  test('a node cannot move', async () => {
    const unknown = { code: codeOfForeignId } as const
    const named = ({ id, name }: JsonBody) => ({ categories: [{ id, name }] })
    await service.refuse('PATCH', `/api/category/${root.id}`, named(leaf), unknown)
    await service.refuse('PATCH', `/api/category/${leaf.id}`, named(root), unknown)
    await service.refuse('PATCH', `/api/category/${leaf.id}`, named(leaf), unknown)
    await service.refuse(
      'PUT',
      `/api/category/${leaf.id}`,
      { name: 'x', categories: [{ id: middle.id, name: 'y' }] },
      unknown,
    )
    for (const name of ['parentId', 'parent']) {
      await service.refuse(
        'PATCH',
        `/api/category/${leaf.id}`,
        { [name]: root.id },
        {
          code: 'CRUD_ERR_INVALID',
          pointers: [`/${name}`],
        },
      )
    }
  })

  test('the same node below two others in one body is 400 where it is not a child', async () => {
    const [first] = middle.categories
    const categories = [
      { ...middle, categories: [first] },
      { ...root.categories[1], categories: [first] },
    ]
    await service.refuse(
      'PUT',
      `/api/category/${root.id}`,
      { name: 'x', categories },
      {
        code: codeOfForeignId,
        pointers: ['/categories/1/categories/0/id'],
      },
    )
  })

  test('DELETE of a node takes its tree along, and nothing above', async () => {
    expect((await service.delete(`/api/category/${middle.id}`)).status).toBe(204)
    expect(await service.read(`/api/category/${root.id}`)).toEqual({ ...root, categories: [root.categories[1]] })
    expect((await service.delete(`/api/category/${root.id}`)).status).toBe(204)
    expect(await service.snapshot()).toEqual({ category: [] })
  })

  test('POST under an id makes a root, or a child, with that id', async () => {
    const [free, other] = [chosenId('category'), chosenId('category')]
    expect((await service.post(`/api/category/${free}`, { name: 'r' })).status).toBe(201)
    const below = await service.post(`/api/category/${free}/category/${other}`, { name: 'c' })
    expect(below.status).toBe(201)
    expect(await service.read(`/api/category/${free}`)).toEqual({ id: free, name: 'r', categories: [below.body] })
    await service.refuse('POST', `/api/category/${leaf.id}`, { name: 'x' }, { code: 'CRUD_ERR_EXISTS' })
    await service.refuse(
      'POST',
      `/api/category/${free}/category/${root.id}`,
      { name: 'x' },
      { code: 'CRUD_ERR_EXISTS' },
    )
  })

  for (const depth of [6, 1000]) {
    test(`DELETE of the root of a tree ${depth} deep`, async () => {
      const untouched = await service.snapshot()
      const { id: top } = await service.add('/api/category', { name: 'top' })
      let node = top
      for (let level = 1; level < depth; level++) {
        const id = chosenId('category')
        await service.db
          .insertInto('category')
          .values({ id, name: `${level}`, parentId: node })
          .execute()
        node = id
      }
      expect((await service.delete(`/api/category/${top}`)).status).toBe(204)
      expect(await service.snapshot()).toEqual(untouched)
    })
  }
})
