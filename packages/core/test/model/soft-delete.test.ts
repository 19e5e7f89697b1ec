import { defineResources, knows, ModelError, needs, ownedBy, owns } from '@fastify-crud/core'
import { resourceOf } from '@fastify-crud/core/internal'
import { Type } from '@sinclair/typebox'
import { expect, test } from 'vitest'

const fields = { name: Type.String() }

/** What is wrong with a model. */
function problemsOf(descriptors: object, options: object = {}): readonly string[] {
  try {
    defineResources(descriptors as never, options)
  } catch (error) {
    if (error instanceof ModelError) return error.problems.map(({ place, message }) => `${place}: ${message}`)
    throw error
  }
  return []
}

test('softDelete names a column, which is no field of the resource', () => {
  const model = defineResources({ book: { softDelete: 'deletedAt', columns: { deletedAt: 'deleted_at' }, fields } })
  const { softDelete, fields: all, members, names } = resourceOf(model, 'book')
  expect(softDelete).toMatchObject({ name: 'deletedAt', column: 'deleted_at', nullable: true })
  expect(all.map(({ name }) => name)).toEqual(['name'])
  expect([members.length, [...names.keys()]]).toEqual([1, ['name']])
  expect(resourceOf(defineResources({ book: { fields } }), 'book').softDelete).toBeUndefined()
})

test('softDelete may have a trash, from which records may be removed for good', () => {
  const trashOf = (softDelete: never) => resourceOf(defineResources({ book: { softDelete, fields } }), 'book').trash
  const column = 'deletedAt'
  expect(trashOf({ column, trash: true } as never)).toEqual({ purges: false })
  expect(trashOf({ column, trash: { purge: true } } as never)).toEqual({ purges: true })
  expect(trashOf({ column } as never)).toBeUndefined()
})

test.each([
  [{}, "must name a column, such as { column: 'deletedAt' }: must be a name"],
  [{ column: 'deletedAt', trash: false }, /^must be a name, or have 'column' and 'trash'/],
  [{ column: 'deletedAt', trash: { purge: 1 } }, /^must be a name, or have 'column' and 'trash'/],
  [{ column: 'deletedAt', trash: { prune: true } }, /^must be a name, or have 'column' and 'trash'/],
  [{ column: 'deletedAt', bin: true }, /^must be a name, or have 'column' and 'trash'/],
  [{ column: '$at' }, /names that begin with \$ belong to the library/],
])('softDelete: %j is refused', (softDelete, message) => {
  const [problem] = problemsOf({ book: { softDelete, fields } })
  expect(problem?.replace('book.softDelete: ', '')).toEqual(
    typeof message === 'string' ? message : expect.stringMatching(message),
  )
})

test('what a resource with softDelete owns has softDelete, too, and what another one owns has not', () => {
  const book = { fields, relations: { pages: owns.many('page') } }
  const page = { fields, relations: { book: ownedBy('book') } }
  expect(problemsOf({ book: { ...book, softDelete: 'deletedAt' }, page })).toEqual([
    "page.softDelete: book owns page, so both have 'softDelete' or none: book has it, and page has not",
  ])
  expect(problemsOf({ book, page: { ...page, softDelete: 'deletedAt' } })).toEqual([
    "page.softDelete: book owns page, so both have 'softDelete' or none: page has it, and book has not",
  ])
  expect(problemsOf({ book: { ...book, softDelete: 'goneAt' }, page: { ...page, softDelete: 'deletedAt' } })).toEqual(
    [],
  )
})

test.each([
  ['a name that is none', { softDelete: 7 }, "must name a column, such as 'deletedAt': must be a name"],
  ['true', { softDelete: true }, "must name a column, such as 'deletedAt': must be a name"],
  ['a field', { softDelete: 'name' }, "'name' is a property of book: the column is none"],
  [
    "the column of 'where'",
    { softDelete: 'deletedAt', where: { deletedAt: 'x' } },
    "its column 'deletedAt' is that of 'where'",
  ],
  [
    'records that are only read',
    { softDelete: 'deletedAt', writable: false },
    'has no effect: no request deletes a book, which has writable: false',
  ],
  ['ids of several members', { softDelete: 'deletedAt', id: ['name', 'shelf'] }, 'is not for ids of several members'],
])('is refused for %s', (_, more, message) => {
  const book = { fields: { ...fields, shelf: Type.String() }, ...more }
  expect(problemsOf({ book })).toContain(`book.softDelete: ${message}`)
})

test('is refused where another column has the name', () => {
  const book = { softDelete: 'deletedAt', columns: { name: 'deletedAt' }, fields }
  expect(problemsOf({ book })).toEqual(["book.deletedAt: its column 'deletedAt' is already that of 'name'"])
})

test('is refused for what needs records by a link table, whose rows go with it', () => {
  const [problem] = problemsOf({
    book: { softDelete: 'deletedAt', fields, relations: { authors: needs.many('author'), tags: knows.many('author') } },
    author: { fields },
  })
  expect(problem).toMatch(/^book\.softDelete: the rows of link tables go with a deleted record.* needs by 'authors'/)
})

test('is refused for the tenants themselves, and for the column of the tenant', () => {
  const tenant = { tenant: { resource: 'org', column: 'orgId' } }
  const org = { fields, softDelete: 'deletedAt' }
  expect(problemsOf({ org }, tenant)).toEqual([
    'org.softDelete: is not for the tenants themselves: purgeTenant removes what a tenant has',
  ])
  const book = { fields, softDelete: 'orgId' }
  expect(problemsOf({ org: { fields }, book }, tenant)).toContain(
    "book.softDelete: its column 'orgId' is that of the tenant",
  )
})
