import { defineResources, ownedBy, owns, planCreate, planLookups, planPatch } from '@fastify-crud/core'
import { Type } from '@sinclair/typebox'
import { expect, test } from 'vitest'

const fields = { name: Type.String() }

const model = defineResources({
  list: { fields, relations: { items: owns.many('item', { order: 'position' }) } },
  item: { fields, relations: { list: ownedBy('list', { moves: true }) } },
  folder: {
    fields,
    relations: { parent: ownedBy('folder', { optional: true, moves: true }), folders: owns.many('folder') },
  },
})

const state = { record: { id: 4, listId: 1, name: 'a' }, owner: { relation: 'list', id: 1 } }
const siblings = { lookup: 'siblings', relation: { resource: 'list', relation: 'items' }, owners: [2] } as const
const existing = { lookup: 'existing', resource: 'list', ids: [2] } as const

test('a move is an update of the foreign key and of the number, if the owner is there', () => {
  const body = { listId: 2 }
  expect(planLookups('patch', model, 'item', state, body)).toEqual({
    lookups: [existing, siblings],
  })
  const found = [{ owner: 2, id: 9, number: 1000 }]
  const plan = (ids: number[]) =>
    planPatch(
      model,
      'item',
      {
        ...state,
        facts: [
          { ...existing, found: ids },
          { ...siblings, found },
        ],
      },
      body,
    )
  expect(plan([2])).toEqual({
    plan: {
      inserted: [],
      result: 4,
      steps: [
        { step: 'update', resource: 'item', rows: [{ id: 4, values: { listId: 2, position: 2000 }, pointer: '' }] },
      ],
    },
  })
  expect(plan([])).toMatchObject({ refusal: { code: 'CRUD_ERR_UNKNOWN_REFERENCE', errors: [{ pointer: '/listId' }] } })
})

test('a new record repeats its owner at most', () => {
  const plan = (listId: number) =>
    planCreate(model, 'item', { owner: state.owner, facts: ownerFacts } as never, { name: 'n', listId })
  const ownerFacts = [
    { lookup: 'existing', resource: 'list', ids: [1], found: [1] },
    { ...siblings, owners: [1], found: [] },
  ]
  expect(plan(1)).toMatchObject({ plan: { steps: [{ step: 'insert', rows: [{ values: { listId: 1, name: 'n' } }] }] } })
  expect(plan(2)).toMatchObject({ refusal: { code: 'CRUD_ERR_INVALID', errors: [{ pointer: '/listId' }] } })
})

test('a record inside of a new one cannot name its owner, of which no id is told', () => {
  const ids = ['integer', { kind: 'text', assign: () => 'made' }] as const
  for (const id of ids) {
    const { folder } = model.descriptors
    const folders = defineResources({ folder: { ...folder, id } })
    const body = { name: 'a', folders: [{ name: 'b', parentId: id === 'integer' ? 7 : 'x' }] }
    expect(planCreate(folders, 'folder', {}, body as never)).toEqual({
      refusal: expect.objectContaining({
        code: 'CRUD_ERR_INVALID',
        errors: [
          {
            pointer: '/folders/0/parentId',
            message: 'leave it out: the owner is a new record, too',
            keyword: 'readOnly',
          },
        ],
      }),
    })
  }
})

test('a record does not go below itself', () => {
  const record = { id: 1, parentId: null, name: 'r', folders: [{ id: 2, parentId: 1, name: 's', folders: [] }] }
  expect(planPatch(model, 'folder', { record }, { parentId: 2 })).toMatchObject({
    refusal: { code: 'CRUD_ERR_INVALID', errors: [{ pointer: '/parentId', message: 'is below folder 1' }] },
  })
})
