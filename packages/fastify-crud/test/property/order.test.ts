import fc from 'fast-check'
import { type Descriptors, knows, needs, ownedBy, owns } from 'fastify-crud'
import { test } from 'vitest'
import { anySetting, checkProperty, PROPERTY_TIMEOUT } from './check-property.ts'
import type { Access, RuleSpecs } from './policy-spec.ts'
import { fieldKinds, fieldSchema } from './random-fields.ts'
import { recipesOf } from './random-requests.ts'

// Random models have few arrays with many elements, and fewer of which a caller sees only some. Here all have.

const text = fieldKinds.find(({ source }) => source === 'Type.String(…)')
const flag = fieldKinds.find(({ source }) => source === 'Type.Boolean(…)')
if (text === undefined || flag === undefined) throw new Error('there are no such fields')
const shown = fieldSchema(flag, 'required', {})
const fields = { name: fieldSchema(text, 'optional', {}), isShown: shown }
const ends = { through: 'list_tags', from: 'left_id', to: 'right_id' } as const
const otherEnds = { through: 'list_tags', from: 'right_id', to: 'left_id' } as const

const lists: Descriptors = {
  list: {
    fields,
    relations: {
      items: owns.many('item', { order: 'position' }),
      tags: knows.many('tag', { ...ends, order: 'position' }),
    },
  },
  item: {
    topLevel: true,
    fields,
    relations: { list: ownedBy('list'), steps: owns.many('step', { order: 'place' }) },
  },
  step: { fields, relations: { item: ownedBy('item') } },
  tag: { fields, relations: { lists: knows.many('list', { ...otherEnds, order: 'place' }) } },
}

const trees: Descriptors = {
  list: {
    fields,
    relations: {
      parent: ownedBy('list', { optional: true }),
      children: owns.many('list', { order: 'position' }),
      tags: needs.many('tag', { order: 'position' }),
    },
  },
  tag: { fields },
}

const twoOwners: Descriptors = {
  list: {
    fields,
    relations: {
      firsts: owns.many('item', { inverse: 'first', order: 'position' }),
      seconds: owns.many('item', { inverse: 'second', order: 'position' }),
      thirds: owns.many('item', { inverse: 'third' }),
    },
  },
  item: {
    fields,
    relations: { first: ownedBy('list'), second: ownedBy('list'), third: ownedBy('list'), next: knows.one('item') },
  },
}

const isShown = { is: 'constant', property: 'isShown', value: true } as const
const seen: RuleSpecs = { View: isShown, Add: true, EditBefore: true, EditAfter: true, Delete: true }
const ofSeen: RuleSpecs = { View: true, Add: true, EditBefore: isShown, EditAfter: true, Delete: true }

/** Of the elements, callers see some; of lists, they may edit some. */
const access = (keys: readonly string[]): Access => ({
  policies: Object.fromEntries(keys.map((key) => [key, { forAll: key === 'list' ? ofSeen : seen }])),
  callers: [{ roles: ['member'], values: {} }],
})

test(
  'arrays keep their order as those of the reference do, whatever a caller sees of them',
  async () => {
    await checkProperty({
      models: fc.constantFrom(lists, trees, twoOwners),
      settings: fc.tuple(anySetting, fc.boolean()).map(([setting, uniquePlaces]) => ({ ...setting, uniquePlaces })),
      recipes: recipesOf({ create: 4, reorder: 16, replace: 3, patch: 4, delete: 1, link: 3, same: 1, list: 1 }),
      accessFor: (model, tape) => (tape.once(4) ? undefined : access([...model.resources.keys()])),
      runs: { quick: 5, long: 150 },
    })
  },
  PROPERTY_TIMEOUT,
)
