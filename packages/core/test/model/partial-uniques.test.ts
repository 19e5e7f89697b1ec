import { defineResources, knows, ModelError, ownedBy, owns } from '@fastify-crud/core'
import { resourceOf } from '@fastify-crud/core/internal'
import { Type } from '@sinclair/typebox'
import { expect, test } from 'vitest'

const fields = {
  email: Type.String(),
  status: Type.Union([Type.Literal('a'), Type.Literal('b')]),
  active: Type.Boolean(),
  deletedAt: Type.Optional(Type.String({ format: 'date-time' })),
  day: Type.String({ format: 'date' }),
  secret: Type.String({ writeOnly: true }),
  data: Type.Any(),
  flag: Type.Boolean({ stored: 'tf' }),
}

test('a unique key has its members, its conditions, and all that it depends on', () => {
  const model = defineResources({
    user: {
      fields,
      unique: [
        ['email'],
        { fields: ['active'] },
        { fields: ['email'], where: { deletedAt: { null: false }, status: 'a' } },
      ],
    },
  })
  const { uniques, fields: all } = resourceOf(model, 'user')
  const [email, status, active, deletedAt] = all
  expect(uniques).toEqual([
    { names: ['email'], members: [email], where: [], dependsOn: [email] },
    { names: ['active'], members: [active], where: [], dependsOn: [active] },
    {
      names: ['email'],
      members: [email],
      where: [
        { member: deletedAt, is: 'not null' },
        { member: status, is: { value: 'a' } },
      ],
      dependsOn: [email, deletedAt, status],
    },
  ])
})

function problemsOf(unique: unknown): readonly string[] {
  const user = {
    fields,
    relations: { friend: knows.one('user'), parent: ownedBy('user', { optional: true }), users: owns.many('user') },
    unique: [unique],
  }
  try {
    defineResources({ user } as never)
  } catch (error) {
    if (error instanceof ModelError) return error.problems.map(({ place, message }) => `${place}: ${message}`)
    throw error
  }
  return []
}

test.each<[string, unknown, string[]]>([
  ['relations that may be null', { fields: ['email'], where: { friend: null, parent: { null: false } } }, []],
  [
    'a misspelt entry',
    { fields: ['email'], were: { deletedAt: null } },
    ["user.unique[0].were: a unique key has no 'were'; did you mean 'where'?"],
  ],
  [
    'no fields',
    { where: { deletedAt: null } },
    ["user.unique: must be an array of arrays of names: [['isbn'], { fields: ['email'], where: { deletedAt: null } }]"],
  ],
  [
    'no condition',
    { fields: ['email'], where: {} },
    ['user.unique[0].where: must be an object with at least one condition: { deletedAt: null }'],
  ],
  [
    'an operator',
    { fields: ['email'], where: { deletedAt: { ne: null } } },
    ['user.unique[0].where.deletedAt: must be a string, a number, a boolean, null, or { null: false } for not null'],
  ],
  [
    'a misspelt field',
    { fields: ['email'], where: { deletedAd: null } },
    ["user.unique[0].where.deletedAd: no field or relation with a foreign key 'deletedAd'; did you mean 'deletedAt'?"],
  ],
  [
    'a write-only field',
    { fields: ['email'], where: { secret: 'x' } },
    ['user.unique[0].where.secret: is write-only, so no plan knows which rows the key holds for'],
  ],
  [
    'JSON',
    { fields: ['email'], where: { data: null } },
    ['user.unique[0].where.data: is JSON and cannot be part of a condition'],
  ],
  [
    'null where it cannot be',
    { fields: ['email'], where: { active: null } },
    ['user.unique[0].where.active: is never null'],
  ],
  [
    'a constant that does not fit',
    { fields: ['email'], where: { status: 'c', active: 1 } },
    [
      'user.unique[0].where.status: its value must be one of "a", "b"',
      'user.unique[0].where.active: its value must be boolean',
    ],
  ],
  [
    'a constant that has several spellings',
    { fields: ['email'], where: { deletedAt: '2026-01-31T12:00:00Z', flag: true } },
    ['deletedAt', 'flag'].map(
      (name) =>
        `user.unique[0].where.${name}: can be null, or { null: false }, as columns of its kind spell a value in several ways`,
    ),
  ],
  [
    'the id of a relation',
    { fields: ['email'], where: { friend: 1 } },
    ['user.unique[0].where.friend: is a relation: it can be null, or { null: false }'],
  ],
])('The check of partial unique keys: %s', (_, unique, problems) => {
  expect(problemsOf(unique)).toEqual(problems)
})
