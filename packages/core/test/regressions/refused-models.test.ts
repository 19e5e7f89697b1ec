import { defineResources, knows, ModelError, needs, ownedBy, owns } from '@fastify-crud/core'
import { Type } from '@sinclair/typebox'
import { expect, test } from 'vitest'

const name = Type.String()

/** The problems of descriptors that a compiler would refuse, too. */
function problemsOf(descriptors: object): readonly string[] {
  try {
    defineResources(descriptors as never)
  } catch (error) {
    if (error instanceof ModelError) return error.problems.map(({ place, message }) => `${place}: ${message}`)
    throw error
  }
  return []
}

test.each<[string, object, RegExp]>([
  ['a table that starts with crud_', { a: { table: 'crud_up', fields: { name } } }, /^a\.table: 'crud_up'/],
  ['a resource whose table would start with crud_', { crud_a: { fields: { name } } }, /^crud_a\.table: 'crud_a'/],
  ['a table that starts with CRUD_', { a: { table: 'CRUD_x', fields: { name } } }, /^a\.table: 'CRUD_x'/],
  ['a table json_each', { a: { table: 'json_each', fields: { name } } }, /^a\.table: 'json_each'/],
  ['a resource json_each', { json_each: { fields: { name } } }, /^json_each\.table: 'json_each'/],
  ['a field that starts with crud_', { a: { fields: { crud_id: name } } }, /^a\.crud_id: .*'crud_id'/],
  [
    'a column that starts with crud_',
    { a: { columns: { name: 'crud_name' }, fields: { name } } },
    /^a\.name: .*'crud_name'/,
  ],
  [
    'a foreign key that starts with crud_',
    { a: { relations: { b: needs.one('b', { foreignKey: 'crud_b' }) } }, b: { fields: { name } } },
    /^a\.crud_b: .*'crud_b'/,
  ],
  [
    'a link table that starts with crud_',
    { a: { relations: { bs: knows.many('b', { through: 'crud_links' }) } }, b: { fields: { name } } },
    /^a\.relations\.bs: .*'crud_links'/,
  ],
  [
    'a link table json_each',
    { a: { relations: { bs: knows.many('b', { through: 'json_each' }) } }, b: { fields: { name } } },
    /^a\.relations\.bs: .*'json_each'/,
  ],
  [
    'link columns that differ only in case',
    { a: { relations: { bs: knows.many('b', { from: 'abId', to: 'ABID' }) } }, b: { fields: { name } } },
    /^a\.relations\.bs: .*'from' and 'to'/,
  ],
  [
    'a relation with a blank in its name',
    { a: { relations: { 'my b': knows.one('b', { foreignKey: 'bId' }) } }, b: { fields: { name } } },
    /^a\.relations\.my b: .*'my b'/,
  ],
  [
    'a relation with a dot in its name',
    { a: { relations: { 'my.bs': knows.many('b') } }, b: { fields: { name } } },
    /^a\.relations\.my\.bs: .*'my\.bs'/,
  ],
  [
    'a foreign key with a blank in its name',
    { a: { relations: { b: needs.one('b', { foreignKey: 'b id' }) } }, b: { fields: { name } } },
    /^a\.relations\.b: .*'b id'/,
  ],
  [
    'a foreign key with a dot in its name',
    { a: { relations: { b: knows.one('b', { foreignKey: 'b.id' }) } }, b: { fields: { name } } },
    /^a\.relations\.b: .*'b\.id'/,
  ],
  [
    "an owner's foreign key with a dot in its name",
    { a: { relations: { bs: owns.many('b') } }, b: { relations: { a: ownedBy('a', { foreignKey: 'a.id' }) } } },
    /^b\.relations\.a: .*'a\.id'/,
  ],
  [
    'a JSON field that is null by default and may not be null',
    { a: { fields: { extra: Type.Any({ default: null }) } } },
    /^a\.fields\.extra: its default must not be null/,
  ],
  [
    'a circle of records that each must own the next',
    {
      a: { relations: { b: owns.one('b', { required: true }), c: ownedBy('c') } },
      b: { relations: { c: owns.one('c', { required: true }), a: ownedBy('a') } },
      c: { relations: { a: owns.one('a', { required: true }), b: ownedBy('b') } },
    },
    /owns/,
  ],
  [
    'two resources that each must own the other',
    {
      a: { relations: { b: owns.one('b', { required: true }), owner: ownedBy('b') } },
      b: { relations: { a: owns.one('a', { required: true }), owner: ownedBy('a') } },
    },
    /owns/,
  ],
  [
    'a record that must own one of its own kind',
    { a: { relations: { a: owns.one('a', { required: true }), owner: ownedBy('a', { optional: true }) } } },
    /^a\.relations\.a: 'required'/,
  ],
  ['a field with NUL in its name', { a: { fields: { 'x\0y': name } } }, /^a\.fields\.x\0y: "x\\u0000y" .*U\+0000/],
  ['a field with a lone surrogate in its name', { a: { fields: { 'x\ud800': name } } }, /^a\.fields\.x.: .*surrogate/],
  ['a field without a name', { a: { fields: { '': name } } }, /^a\.fields\.: .*empty/],
  ['a table with NUL in its name', { a: { table: 'x\0', fields: { name } } }, /^a\.table: "x\\u0000" .*U\+0000/],
  ['a table with a lone surrogate in its name', { a: { table: '\udfff', fields: { name } } }, /^a\.table: .*surrogate/],
  ['a table without a name in its schema', { a: { table: 'x.', fields: { name } } }, /^a\.table: 'x\.' .*dot/],
  ['a table in a schema without a name', { a: { table: '.x', fields: { name } } }, /^a\.table: '\.x' .*dot/],
  ['a table in a schema of a schema', { a: { table: 'x.y.z', fields: { name } } }, /^a\.table: 'x\.y\.z' .*dot/],
  [
    'a column with NUL in its name',
    { a: { columns: { name: 'x\0' }, fields: { name } } },
    /^a\.columns\.name: "x\\u0000" .*U\+0000/,
  ],
  [
    'an id column with NUL in its name',
    { a: { columns: { id: '\0' }, fields: { name } } },
    /^a\.columns\.id: .*U\+0000/,
  ],
  [
    'a column with a lone surrogate in its name',
    { a: { columns: { name: '\udfff' }, fields: { name } } },
    /^a\.columns\.name: .*surrogate/,
  ],
  ['a route with NUL', { a: { route: 'x\0', fields: { name } } }, /^a\.route: .*path segment/],
  ['a route that leads upwards', { a: { route: '..', fields: { name } } }, /^a\.route: '\.\.' .*path segment/],
  ['a route that leads nowhere', { a: { route: '.', fields: { name } } }, /^a\.route: '\.' .*path segment/],
  ['a relation with NUL in its name', { a: { relations: { 'x\0': knows.one('a') } } }, /^a\.relations\.x\0: .*letters/],
  ...(['through', 'from', 'to'] as const).flatMap((option): [string, object, RegExp][] => [
    [
      `a link with NUL in '${option}'`,
      { a: { relations: { bs: knows.many('a', { [option]: 'x\0' }) } } },
      new RegExp(`^a\\.relations\\.bs: '${option}': "x\\\\u0000" .*U\\+0000`),
    ],
    [
      `a link with a lone surrogate in '${option}'`,
      { a: { relations: { bs: knows.many('a', { [option]: '\ud800' }) } } },
      new RegExp(`^a\\.relations\\.bs: '${option}': .*surrogate`),
    ],
    [
      `a link with an empty '${option}'`,
      { a: { relations: { bs: knows.many('a', { [option]: '' }) } } },
      new RegExp(`^a\\.relations\\.bs: '${option}': .*empty`),
    ],
  ]),
])('%s is refused with one problem that names its place', (_, descriptors, problem) => {
  expect(problemsOf(descriptors)).toEqual([expect.stringMatching(problem)])
})

test('a JSON field that is null by default may be left out of a body if it is optional', () => {
  expect(problemsOf({ a: { fields: { extra: Type.Optional(Type.Any({ default: null })) } } })).toEqual([])
})

test('names that only look like reserved ones are fine', () => {
  expect(
    problemsOf({
      a: { fields: { name: Type.String(), my_crud_: Type.String(), crudId: Type.String(), json_each_: Type.String() } },
      crudle: { table: 'json_each_row', fields: { name: Type.String() } },
    }),
  ).toEqual([])
})
