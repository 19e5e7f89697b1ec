import { defineResources, knows, ModelError, needs, ownedBy, owns } from '@fastify-crud/core'
import { resourceOf } from '@fastify-crud/core/internal'
import { expect, test } from 'vitest'

test('the foreign key of an optional need may be null, and the need keeps the target', () => {
  const { references } = resourceOf(
    defineResources({
      a: { relations: { b: needs.one('b'), c: needs.one('b', { optional: true }), d: knows.one('b') } },
      b: {},
    }),
    'a',
  )
  expect(references.map(({ name, needs, nullable }) => ({ name, needs, nullable }))).toEqual([
    { name: 'b', needs: true, nullable: false },
    { name: 'c', needs: true, nullable: true },
    { name: 'd', needs: false, nullable: true },
  ])
})

test('resources may need each other, themselves and what they own, where that is optional', () => {
  const optional = { optional: true } as const
  const model = defineResources({
    a: { relations: { b: needs.one('b', optional), best: needs.one('c', optional), cs: owns.many('c') } },
    b: { relations: { a: needs.one('a'), b: needs.one('b', optional) } },
    c: { relations: { a: ownedBy('a') } },
  })
  expect(resourceOf(model, 'a').rank).toBeLessThan(resourceOf(model, 'b').rank)
  expect(resourceOf(model, 'a').rank).toBeLessThan(resourceOf(model, 'c').rank)
})

test('a circle of needs that are not optional is refused', () => {
  const refused = () =>
    defineResources({
      a: { relations: { b: needs.one('b', { optional: false }) } },
      b: { relations: { a: needs.one('a') } },
    })
  expect(refused).toThrow(ModelError)
})
