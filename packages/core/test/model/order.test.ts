import { defineResources, knows, ModelError, ownedBy, owns } from '@fastify-crud/core'
import { Type } from '@sinclair/typebox'
import { expect, test } from 'vitest'

function problemsOf(define: () => unknown): readonly string[] {
  try {
    define()
  } catch (error) {
    if (error instanceof ModelError) return error.problems.map(({ place, message }) => `${place}: ${message}`)
    throw error
  }
  return []
}

/** A model in which lists keep the order of their items by `position`. */
const itemsWith = (item: object) => () =>
  defineResources({
    list: { fields: {}, relations: { items: owns.many('item', { order: 'position' }) } },
    item: { fields: {}, relations: { list: ownedBy('list') }, ...item } as never,
  } as never)

const place = 'list.relations.items: order:'

test('the numbers of an order are no field, unless there is one of the name', () => {
  const { resources } = defineResources({
    list: {
      fields: {},
      relations: { items: owns.many('item', { order: 'position' }), rows: owns.many('row', { order: 'rank' }) },
    },
    item: { fields: {}, relations: { list: ownedBy('list') } },
    row: { fields: { rank: Type.Integer({ readOnly: true }) }, relations: { list: ownedBy('list') } },
  })
  const [item, row] = [resources.get('item'), resources.get('row')]
  expect(item?.fields).toEqual([])
  expect(item?.names.has('position')).toBe(false)
  expect(item?.members.map(({ column }) => column)).toEqual(['position'])
  expect(row?.fields.map(({ name }) => name)).toEqual(['rank'])
  expect(row?.members).toEqual(row?.fields)
})

test('a field that keeps an order is an integer that only the service sets', () => {
  const integer = `${place} 'position' of item is no integer field`
  const given = `${place} 'position' of item must be readOnly and have no default: the service gives the numbers`
  expect(problemsOf(itemsWith({ fields: { position: Type.Integer({ readOnly: true }) } }))).toEqual([])
  expect(problemsOf(itemsWith({ fields: { position: Type.Integer() } }))).toEqual([given])
  expect(problemsOf(itemsWith({ fields: { position: Type.Integer({ readOnly: true, default: 1 }) } }))).toEqual([given])
  expect(problemsOf(itemsWith({ fields: { position: Type.String({ readOnly: true }) } }))).toEqual([integer])
})

test('numbers that not every record has may be null', () => {
  const tree = (position: object) => () =>
    defineResources({
      node: {
        fields: { position },
        relations: { up: ownedBy('node', { optional: true }), nodes: owns.many('node', { order: 'position' }) },
      },
    } as never)
  expect(problemsOf(tree(Type.Optional(Type.Integer({ readOnly: true }))))).toEqual([])
  expect(problemsOf(tree(Type.Integer({ readOnly: true })))).toEqual([
    "node.relations.nodes: order: 'position' of node must be optional: not every record has one",
  ])
})

test('a part of an id keeps no order', () => {
  const item = { id: ['list', 'position'], fields: { position: Type.Integer({ readOnly: true }) } }
  expect(problemsOf(itemsWith(item))[0]).toBe(`${place} 'position' is a part of the id of item, which never changes`)
})

test('the columns of a link table are different ones', () => {
  const links = (order: string, back?: string) => () =>
    defineResources({
      book: { fields: {}, relations: { tags: knows.many('tag', { through: 'book_tag', order }) } },
      tag: {
        fields: {},
        relations: {
          books: knows.many('book', { through: 'book_tag', from: 'tagId', to: 'bookId', ...(back && { order: back }) }),
        },
      },
    })
  expect(problemsOf(links('position', 'rank'))).toEqual([])
  expect(problemsOf(links('tagId'))).toEqual(["book.relations.tags: order: 'tagId' is the column of an id"])
  expect(problemsOf(links('position', 'position'))).toContain(
    "book.relations.tags: order: 'position' is the column for the order at the other end, which has one of its own",
  )
})

test('only arrays have an order, and its column has a name', () => {
  const one = () =>
    defineResources({
      list: { fields: {}, relations: { item: owns.one('item', { order: 'position' } as never) } },
      item: { fields: {}, relations: { list: ownedBy('list') } },
    })
  expect(problemsOf(one)).toEqual([expect.stringMatching(/owns\.one has no option 'order'/)])
  const unnamed = () =>
    defineResources({
      list: { fields: {}, relations: { items: owns.many('item', { order: 1 as never }) } },
      item: { fields: {}, relations: { list: ownedBy('list') } },
    })
  expect(problemsOf(unnamed)).toEqual([expect.stringMatching(/list\.relations\.items: 'order':/)])
})
