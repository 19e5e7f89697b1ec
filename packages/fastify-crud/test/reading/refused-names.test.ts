import { Type } from '@sinclair/typebox'
import { defineResources, knows } from 'fastify-crud'
import { describe, expect, test } from 'vitest'

const words = ['partial', 'and', 'or', 'not', 'some', 'every', 'none', 'eq', 'in', 'null', 'contains']
const other = { fields: { name: Type.String() } }

describe('a name that queries could not tell from their own words is refused at start', () => {
  for (const word of words) {
    test(`of a field, a relation and a foreign key: ${word}`, () => {
      const field = () => defineResources({ thing: { fields: { [word]: Type.String() } } })
      expect(field).toThrow(new RegExp(`thing\\.fields\\.${word}: .*'${word}'.*'columns'`))
      const relation = () => defineResources({ thing: { relations: { [word]: knows.many('other') } }, other })
      expect(relation).toThrow(new RegExp(`thing\\.relations\\.${word}: a relation cannot be called '${word}'`))
      const foreignKey = () =>
        defineResources({ thing: { relations: { one: knows.one('other', { foreignKey: word }) } }, other })
      expect(foreignKey).toThrow(new RegExp(`thing\\.relations\\.one: a foreign key cannot be called '${word}'`))
    })
  }

  for (const name of ['a.b', 'a,b', 'count(a)', 'a)', 'a[b]', 'a]', '-a', '.']) {
    test(`of a field: ${name}`, () => {
      const field = () => defineResources({ thing: { fields: { [name]: Type.String() } } })
      expect(field).toThrow(`thing.fields.${name}: a field cannot be called '${name}'`)
    })
  }

  test('of a field: $at, as names that begin with $ belong to the library', () => {
    const names = { $at: Type.String() }
    expect(() => defineResources({ thing: { fields: names } })).toThrow(
      "thing.fields.$at: a field cannot be called '$at': names that begin with $ belong to the library",
    )
    expect(() => defineResources({ thing: { relations: { $at: knows.one('other') } }, other })).toThrow(
      'thing.relations.$at',
    )
    expect(() => defineResources({ thing: { route: '$at' } })).toThrow('thing.route')
  })

  test('and names that only look like words of queries are taken', () => {
    const names = ['notes', 'order', 'inner', 'And', 'count', 'lower', 'limit', 'filter', 'sort', 'a-b', 'is new?', 'é']
    const fields = Object.fromEntries(names.map((name) => [name, Type.String()]))
    expect(() => defineResources({ thing: { fields } })).not.toThrow()
  })

  test('and the keys of a JSON value are no such names', () => {
    const fields = { size: Type.Object({ not: Type.String(), 'a.b': Type.String(), partial: Type.Boolean() }) }
    expect(() => defineResources({ thing: { fields } })).not.toThrow()
  })
})
