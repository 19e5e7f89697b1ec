import { Type } from '@sinclair/typebox'
import { expect, test } from 'vitest'
import { type Descriptors, defineResources, ModelError, ownedBy, owns } from '../../src/index.ts'

const fields = { text: Type.String() }

function problemsIn(descriptors: Descriptors): readonly string[] {
  try {
    defineResources(descriptors)
    return []
  } catch (error) {
    if (!(error instanceof ModelError)) throw error
    return error.problems.map(({ place, message }) => `${place}: ${message}`)
  }
}

test('`topLevel` is refused where it means nothing', () => {
  expect(problemsIn({ book: { topLevel: true, fields } })).toEqual([
    'book.topLevel: leave it out: the resource has no owner, so its route is at the top',
  ])
  const tree = { parent: ownedBy('folder', { optional: true }), folders: owns.many('folder') }
  expect(problemsIn({ folder: { topLevel: true, fields, relations: tree } })).toEqual([
    'folder.topLevel: is not for a resource that owns itself',
  ])
  expect(problemsIn({ book: { topLevel: false as never, fields } })).toEqual([
    'book.topLevel: must be true, or be left out',
  ])
})

test('two routes at the top have different segments', () => {
  const line = { topLevel: true, route: 'rows', fields, relations: { order: ownedBy('order') } } as const
  const order = { fields, relations: { lines: owns.many('line') } }
  expect(problemsIn({ order, line, row: { route: 'rows', fields } })).toEqual([
    "row.route: 'rows' is the route of line already",
  ])
  expect(problemsIn({ order, line, row: { route: 'row', fields } })).toEqual([])
})
