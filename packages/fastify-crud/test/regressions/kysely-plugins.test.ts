import { CamelCasePlugin, type KyselyPlugin, ParseJSONResultsPlugin } from 'kysely'
import { expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnDatabases } from '../../../../test/support/describe-on-databases.ts'
import { testEveryRelation } from '../contract/every-relation.ts'
import { category } from '../contract/models/category.ts'
import { library } from '../contract/models/library.ts'

const plugins: readonly (readonly [string, () => KyselyPlugin[]])[] = [
  ['`CamelCasePlugin({ upperCase: true })`', () => [new CamelCasePlugin({ upperCase: true })]],
  ['`ParseJSONResultsPlugin`', () => [new ParseJSONResultsPlugin()]],
  ['both', () => [new CamelCasePlugin({ upperCase: true }), new ParseJSONResultsPlugin()]],
]

for (const [title, make] of plugins) {
  describeOnDatabases(`a Kysely instance with ${title}`, (database) => {
    testEveryRelation(useApp(database, library, { kysely: make() }))
  })

  describeOnDatabases(`a tree and a Kysely instance with ${title}`, (database) => {
    const service = useApp(database, category, { kysely: make() })

    test('is created, read, listed, changed and deleted', async () => {
      const categories = [{ name: '1', categories: [{ name: '1.1' }] }, { name: '2' }]
      const root = await service.add('/api/category', { name: 'root', categories })
      const other = await service.add('/api/category', { name: 'other' })
      const path = `/api/category/${root.id}`
      expect(root).toMatchObject({ categories: [{ name: '1', categories: [{ name: '1.1', categories: [] }] }, {}] })
      expect(await service.read(path)).toEqual(root)
      expect(await service.read('/api/category')).toEqual({ rows: [root, other], count: 2 })
      expect(await service.read(`${path}/category`)).toEqual({ rows: root.categories, count: 2 })
      for (const sort of ['id', '-name', 'count(categories)']) {
        const { rows } = await service.read(`/api/category?sort=${sort}`)
        const first = await service.read(`/api/category?sort=${sort}&limit=1&count=1`)
        expect(first).toMatchObject({ rows: [rows[0]], count: 1, countIs: 'atLeast' })
        const last = await service.read(`/api/category?sort=${sort}&after=${first.next}`)
        expect(last).toEqual({ rows: [rows[1]] })
      }
      const [one] = root.categories
      const patched = await service.patch(path, { categories: [{ id: one.id, categories: [{ name: '1.2' }] }] })
      expect(patched.body.categories[0].categories).toMatchObject([{ name: '1.1' }, { name: '1.2' }])
      expect((await service.put(path, root)).status).toBe(200)
      expect(await service.read(path)).toEqual({
        ...root,
        categories: [{ ...one, categories: [one.categories[0]] }, root.categories[1]],
      })
      expect((await service.delete(path)).status).toBe(204)
      expect(await service.read('/api/category')).toEqual({ rows: [other], count: 1 })
    })
  })
}
