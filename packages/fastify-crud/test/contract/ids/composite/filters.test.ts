import { Type } from '@sinclair/typebox'
import { countOf, defineResources, maxOf, neededBy, needs, ownedBy, owns } from 'fastify-crud'
import { beforeEach, expect, test } from 'vitest'
import { useApp } from '../../../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../../../test/support/json-body.ts'

const model = defineResources({
  order: {
    id: 'integer',
    fields: { name: Type.String() },
    computed: { count: countOf('lines'), most: maxOf('lines', 'quantity') },
    relations: { lines: owns.many('line'), bill: owns.one('bill') },
  },
  line: {
    topLevel: true,
    id: ['order', 'product'],
    fields: { quantity: Type.Integer() },
    relations: { order: ownedBy('order'), product: needs.one('product') },
  },
  bill: { id: ['order', 'number'], fields: { number: Type.Integer() }, relations: { order: ownedBy('order') } },
  product: { id: 'text', fields: { name: Type.String() }, relations: { lines: neededBy.many('line') } },
})

describeOnBoth('filters, sorts and chosen fields where ids have several parts', (database) => {
  const service = useApp(database, model)
  const invalid = { code: 'CRUD_ERR_INVALID' } as const
  let one: JsonBody
  let two: JsonBody

  beforeEach(async () => {
    for (const id of ['a', 'b,c', 'd']) await service.add('/api/product', { id, name: id })
    const line = (productId: string, quantity: number) => ({ productId, quantity })
    one = await service.add('/api/order', { name: '1', lines: [line('a', 5), line('b,c', 1)], bill: { number: 0 } })
    two = await service.add('/api/order', { name: '2', lines: [line('a', 2), line('d', 9)], bill: { number: 7 } })
  })

  const rows = async (resource: string, query: string): Promise<JsonBody[]> =>
    (await service.read(`/api/${resource}?${query}`)).rows
  const names = async (resource: string, query: string) => (await rows(resource, query)).map(({ name }) => name)
  const json = (filter: object) => `filter=${encodeURIComponent(JSON.stringify(filter))}`

  test('behind an owner an id is the short one', async () => {
    expect(await names('order', 'filter[lines.id]=a&sort=name')).toEqual(['1', '2'])
    expect(await names('order', 'filter[lines.id]=b,c')).toEqual(['1'])
    expect(await names('order', json({ lines: { some: { id: { in: ['b,c', 'x'] } } } }))).toEqual(['1'])
    expect(await names('order', json({ lines: { none: { id: 'd' } } }))).toEqual(['1'])
    expect(await names('order', json({ lines: { every: { id: { in: ['a', 'd'] } } } }))).toEqual(['2'])
    expect(await names('order', 'filter[bill.id]=0')).toEqual(['1'])
    expect(await names('order', 'filter[bill.number][gte]=1')).toEqual(['2'])
    expect(await names('order', 'sort=-bill.id')).toEqual(['2', '1'])
  })

  test('behind another relation, and at the top, it is the whole one', async () => {
    expect(await names('product', `filter[lines.id]=${one.id},b~1c`)).toEqual(['b,c'])
    expect(await names('product', json({ lines: { some: { id: `${two.id},a` } } }))).toEqual(['a'])
    expect(await names('product', json({ lines: { none: { id: { in: [`${two.id},a`, `${two.id},d`] } } } }))).toEqual([
      'b,c',
    ])
    await service.refuse('GET', '/api/product?filter[lines.id]=a', undefined, invalid)
    expect(await rows('line', `filter[id]=${two.id},d`)).toMatchObject([{ id: `${two.id},d`, quantity: 9 }])
    expect(await rows('line', `filter[order.name]=2&filter[product.name]=a`)).toMatchObject([{ id: `${two.id},a` }])
    await service.refuse('GET', '/api/line?filter[id]=a', undefined, invalid)
  })

  test('computed values and chosen fields know the children', async () => {
    expect(await rows('order', 'fields=name,count,most&sort=-most')).toMatchObject([
      { name: '2', count: 2, most: 9 },
      { count: 2, most: 5 },
    ])
    const [shown] = await rows('order', 'fields=lines.id,lines.quantity,bill.id&sort=name')
    expect(shown).toMatchObject({
      lines: [
        { id: 'a', quantity: 5 },
        { id: 'b,c', quantity: 1 },
      ],
      bill: { id: 0 },
    })
    expect(shown.lines[0]).not.toHaveProperty('productId')
    const nested = await service.read(`/api/order/${two.id}?nested[lines][sort]=-id&nested[lines][limit]=1`)
    expect(nested.lines).toMatchObject([{ id: 'd' }])
    const filtered = await service.read(
      `/api/order/${two.id}?nested[lines][filter]=${encodeURIComponent('{"id":"a"}')}`,
    )
    expect(filtered.lines).toMatchObject([{ id: 'a' }])
    expect(await service.read(`/api/order/${two.id}?include=-lines`)).not.toHaveProperty('lines')
  })

  test('pages of children in any order have each once', async () => {
    for (const [collection, count] of [
      [`/api/order/${one.id}/line`, 2],
      ['/api/line', 4],
    ] as const) {
      for (const sort of ['id', '-id', 'quantity', '-product.name,-id', 'product.id,quantity']) {
        const all = (await service.read(`${collection}?sort=${sort}`)).rows
        const seen: JsonBody[] = []
        let next = ''
        do {
          const page = await service.read(`${collection}?sort=${sort}&limit=1${next}`)
          seen.push(...page.rows)
          next = page.next === undefined ? '' : `&after=${page.next}`
        } while (next !== '')
        expect(seen, sort).toEqual(all)
        expect(seen).toHaveLength(count)
      }
    }
  })
})
