import { Type } from '@sinclair/typebox'
import { defineResources, knows, neededBy, needs, ownedBy, owns } from 'fastify-crud'
import { expect, test } from 'vitest'
import { graphOf, neighboursOf, toMermaid } from '../page/map/graph.ts'
import { layoutOf } from '../page/map/layout.ts'
import { BOX } from '../page/map/placed.ts'
import { toSvg } from '../page/map/to-svg.ts'
import { describeModelOf } from './model-of.ts'

const name = { name: Type.String() }
const shop = () =>
  describeModelOf(
    defineResources({
      category: {
        fields: name,
        relations: { parent: ownedBy('category', { optional: true }), categories: owns.many('category') },
      },
      order: { fields: name, relations: { lines: owns.many('line'), label: owns.one('label', { required: true }) } },
      line: { fields: name, relations: { order: ownedBy('order'), product: needs.one('product') } },
      label: { fields: name, relations: { order: ownedBy('order') } },
      product: { fields: name, relations: { lines: neededBy.many('line'), tags: knows.many('tag') } },
      tag: { fields: name },
    }),
  )

test('the map has each relation once, by its kind and with the numbers at its ends', async () => {
  const { nodes, edges } = graphOf(await shop())
  expect(nodes).toHaveLength(6)
  expect(edges.map(({ id, kind, fromMany, toMany }) => [id, kind, fromMany, toMany])).toEqual([
    ['category.categories', 'owned', '0..1', '*'],
    ['order.lines', 'owned', '1', '*'],
    ['order.label', 'owned', '1', '1'],
    ['line.product', 'needed', '*', '1'],
    ['product.tags', 'known', '*', '*'],
  ])
  expect([...neighboursOf({ nodes, edges }, 'line')].sort()).toEqual(['line', 'order', 'product'])
})

test('owners are above what they own, and what is needed above what needs it', async () => {
  const { boxes, lines } = layoutOf(graphOf(await shop()))
  const top = (node: string) => boxes.get(node)?.y as number
  expect(top('order') + BOX.height).toBeLessThan(top('line'))
  expect(top('product') + BOX.height).toBeLessThan(top('line'))
  const [first] = lines.get('order.lines') ?? []
  expect(first?.y).toBe(top('order') + BOX.height)
})

test('a hundred resources have boxes that do not touch, within a second', async () => {
  const model = await describeModelOf(
    defineResources(
      Object.fromEntries(
        Array.from({ length: 100 }, (_, index) => [
          `resource${index}`,
          {
            fields: name,
            relations:
              index < 4
                ? {}
                : {
                    [`r${index}`]: needs.one(`resource${Math.floor(index / 4)}`),
                    [`k${index}`]: knows.one(`resource${index % 4}`),
                  },
          },
        ]),
      ),
    ),
  )
  const graph = graphOf(model)
  const begun = performance.now()
  const { boxes: placed, width, height } = layoutOf(graph)
  const boxes = [...placed.values()]
  expect(performance.now() - begun).toBeLessThan(1_000)
  expect(boxes).toHaveLength(100)
  expect(width / height, 'about as wide as a window').toBeLessThan(2.5)
  expect(width).toBeLessThan(20 * BOX.width)
  const isApart = (one: number, other: number, size: number) => Math.abs(one - other) >= size
  for (const [index, { x, y }] of boxes.entries()) {
    for (const other of boxes.slice(index + 1))
      expect(isApart(x, other.x, BOX.width) || isApart(y, other.y, BOX.height)).toBe(true)
  }
})

test('the map is exported as a picture and for Mermaid', async () => {
  const graph = graphOf(await shop())
  expect(toMermaid(graph).split('\n')).toEqual(
    expect.arrayContaining([
      'classDiagram',
      '  order "1" *-- "*" line : lines',
      '  line "*" --> "1" product : product',
      '  product "*" ..> "*" tag : tags',
    ]),
  )
  const svg = toSvg(graph, layoutOf(graph))
  expect(svg).toMatch(/^<svg xmlns="http:\/\/www.w3.org\/2000\/svg" viewBox="0 0 [\d.]+ [\d.]+"/)
  expect(svg.match(/<rect x=/g)).toHaveLength(6)
  expect(svg).not.toContain('NaN')
})
