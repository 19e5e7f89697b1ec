import { defineResources, ownedBy, owns } from '@fastify-crud/core'
import { openApiOf } from '@fastify-crud/openapi'
import { Type } from '@sinclair/typebox'
import { describe, expect, it } from 'vitest'
import { validatorOf } from './validator.ts'

const fields = { name: Type.String() }

const model = defineResources({
  list: { fields, relations: { items: owns.many('item'), lines: owns.many('line') } },
  item: { fields, relations: { list: ownedBy('list', { moves: true }) } },
  line: { topLevel: true, fields, relations: { list: ownedBy('list', { moves: true }) } },
  folder: {
    fields,
    relations: { parent: ownedBy('folder', { optional: true, moves: true }), folders: owns.many('folder') },
  },
})

const wrongWith = validatorOf(model)
const { components } = openApiOf(model)
const schemaOf = (name: string): { required: string[]; properties: Record<string, object>; examples?: object[] } =>
  components.schemas?.[name] as never

describe('the document of records that move', () => {
  it('has the foreign key in records, whole and in part, and in their examples', () => {
    expect(wrongWith('item.record', { id: 1, listId: 2, name: 'n' })).toEqual([])
    expect(wrongWith('item.record', { id: 1, name: 'n' })).not.toEqual([])
    expect(wrongWith('folder.record', { id: 1, parentId: null, name: 'n', folders: [] })).toEqual([])
    expect(wrongWith('item.partial', { id: 1, listId: 2, partial: true })).toEqual([])
    expect(schemaOf('item.record').examples).toEqual([{ id: 1, listId: 1, name: 'name' }])
  })

  it('has it in bodies, which may leave it out', () => {
    for (const listId of [2, undefined]) {
      const body = { name: 'n', ...(listId === undefined ? {} : { listId }) }
      for (const kind of ['create', 'replace', 'patch']) expect(wrongWith(`item.${kind}`, body)).toEqual([])
      expect(wrongWith('list.patch', { items: [{ id: 1, ...body }] })).toEqual([])
    }
    expect(wrongWith('item.patch', { listId: null })).not.toEqual([])
    expect(wrongWith('folder.patch', { parentId: null })).toEqual([])
  })

  it('says at the top that another owner moves the record', () => {
    const { listId } = schemaOf('line.patchAtTop').properties
    expect(listId).toMatchObject({
      description: 'Its owner. Another one moves the line there, in a request of its own. If it is left out, it stays.',
    })
    expect(schemaOf('line.recordAtTop').required).toEqual(['listId', 'id', 'name'])
    expect(Object.keys(schemaOf('line.recordAtTop').properties)).toEqual(['id', 'listId', 'name'])
  })
})
