import { defineResources, knows, ownedBy, owns } from '@fastify-crud/core'
import { openApiOf } from '@fastify-crud/openapi'
import { Type } from '@sinclair/typebox'
import { describe, expect, it } from 'vitest'
import { validatorOf } from './validator.ts'

const fields = { name: Type.String() }

const model = defineResources({
  list: {
    fields,
    relations: { items: owns.many('item', { order: 'position' }), tags: knows.many('tag', { order: 'position' }) },
  },
  item: { fields, relations: { list: ownedBy('list') } },
  tag: { fields },
  shelf: { fields, relations: { tags: knows.many('tag'), slots: owns.many('slot', { order: 'position' }) } },
  slot: {
    id: ['shelf', 'number'],
    topLevel: true,
    fields: { number: Type.Integer() },
    relations: { shelf: ownedBy('shelf') },
  },
})

const wrongWith = validatorOf(model)

describe('the document of arrays that keep their order', () => {
  it('has the place in the bodies of POST and PATCH, of the element and of its owner', () => {
    for (const $before of [1, null]) {
      expect(wrongWith('item.create', { name: 'n', $before })).toEqual([])
      expect(wrongWith('item.patch', { $before })).toEqual([])
      const elements = {
        items: [
          { id: 1, $before },
          { name: 'n', $before },
        ],
        tags: [{ id: 1, $before }],
      }
      expect(wrongWith('list.patch', elements)).toEqual([])
    }
    expect(wrongWith('item.patch', { $before: 'x' })).not.toEqual([])
  })

  it('has the place as the path has ids: at the top, they are whole', () => {
    expect(wrongWith('slot.patch', { $before: 1 })).toEqual([])
    expect(wrongWith('slot.patch', { $before: '1,1' })).not.toEqual([])
    expect(wrongWith('slot.patchAtTop', { $before: '1,1' })).toEqual([])
    expect(wrongWith('slot.patchAtTop', { $before: 1 })).not.toEqual([])
    expect(wrongWith('slot.createAtTop', { shelfId: 1, number: 2, $before: '1,1' })).toEqual([])
  })

  it('has none in a PUT, in an answer, and where no order is kept', () => {
    expect(wrongWith('item.replace', { name: 'n', $before: null })).not.toEqual([])
    const replaced = { name: 'l', items: [], tags: [] }
    expect(wrongWith('list.replace', replaced)).toEqual([])
    expect(wrongWith('list.replace', { ...replaced, items: [{ name: 'n', $before: null }] })).not.toEqual([])
    expect(wrongWith('list.replace', { ...replaced, tags: [{ id: 1, $before: null }] })).not.toEqual([])
    expect(wrongWith('shelf.patch', { tags: [{ id: 1, $before: null }] })).not.toEqual([])
    const { components } = openApiOf(model)
    expect(JSON.stringify(components.schemas?.['item.record'])).not.toContain('position')
  })

  it('has a body for PUT of a link’s address', () => {
    const { paths } = openApiOf(model)
    const put = (path: string) => paths[path]?.put?.requestBody
    expect(put('/api/list/{id}/tags/{tag_id}')).toMatchObject({
      required: false,
      content: { 'application/json': { schema: { properties: { $before: { type: ['integer', 'null'] } } } } },
    })
    expect(put('/api/shelf/{id}/tags/{tag_id}')).toBeUndefined()
  })
})
