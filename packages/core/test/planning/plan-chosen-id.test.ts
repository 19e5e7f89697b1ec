import { defineResources, ownedBy, owns, planCreate, planLookups } from '@fastify-crud/core'
import { Type } from '@sinclair/typebox'
import { expect, test } from 'vitest'

const resources = defineResources({
  album: { fields: { name: Type.String() }, relations: { pictures: owns.many('picture') } },
  picture: {
    fields: { place: Type.Integer() },
    relations: { album: ownedBy('album') },
    unique: [['album', 'place']],
  },
})

test('nobody holds the unique values of what a record with a chosen id owns: it is not there yet', () => {
  const lookup = { lookup: 'existing', resource: 'album', ids: [7] } as const
  const body = { name: 'Summer', pictures: [{ place: 3 }] }
  expect(planLookups('create', resources, 'album', { id: 7 }, body)).toEqual({ lookups: [lookup] })
  const outcome = planCreate(resources, 'album', { id: 7, facts: [{ ...lookup, found: [] }] }, body)
  expect(outcome).toEqual({
    plan: {
      steps: [
        { step: 'insert', resource: 'album', rows: [{ id: 7, values: { name: 'Summer' }, pointer: '' }] },
        {
          step: 'insert',
          resource: 'picture',
          rows: [{ id: { new: 1 }, values: { albumId: 7, place: 3 }, pointer: '/pictures/0' }],
        },
      ],
      inserted: ['album', 'picture'],
      result: 7,
    },
  })
})

test.each([-1.5, 0, 2_000_000_001, Number.NaN, '7' as unknown as number])(
  '%s cannot be chosen for a new record',
  (id) => {
    const message = 'an id that is chosen is an integer from 1 to 2000000000'
    const refusal = { code: 'CRUD_ERR_INVALID', detail: message, errors: [{ parameter: 'id', message, keyword: 'id' }] }
    expect(planCreate(resources, 'album', { id }, { name: 'Summer' })).toEqual({ refusal })
    expect(planLookups('create', resources, 'album', { id }, { name: 'Summer' })).toEqual({ refusal })
  },
)
