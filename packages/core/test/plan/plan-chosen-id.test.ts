import { defineResources, ownedBy, owns, planCreate } from '@fastify-crud/core'
import { resourceOf, type UniqueKey } from '@fastify-crud/core/internal'
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
  const [key] = resourceOf(resources, 'picture').uniques as [UniqueKey]
  const facts = {
    existing: new Map(),
    holders: new Map([[key, new Map([[0, 902]])]]),
    linkHolders: new Map(),
    needing: new Map(),
  }
  const outcome = planCreate(resources, 'album', { id: 7, facts }, { name: 'Summer', pictures: [{ place: 3 }] })
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
