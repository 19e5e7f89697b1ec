import fc from 'fast-check'
import { type Descriptors, knows, needs, ownedBy, owns } from 'fastify-crud'
import { test } from 'vitest'
import { anySetting, checkProperty, PROPERTY_TIMEOUT } from './check-property.ts'
import { type Access, type Condition, policiesIn, type RuleSpecs } from './policy-spec.ts'
import { fieldKinds, fieldSchema } from './random-fields.ts'
import { randomAccess } from './random-policies.ts'
import { recipesOf } from './random-requests.ts'

// Random models have few deleted records that know, need and own others. Here many are deleted, brought back and removed for good.

const text = fieldKinds.find(({ source }) => source === 'Type.String(…)')
const flag = fieldKinds.find(({ source }) => source === 'Type.Boolean(…)')
if (text === undefined || flag === undefined) throw new Error('there are no such fields')
const name = fieldSchema(text, 'optional', {})
const fields = { name, isShown: fieldSchema(flag, 'default', {}), isOpen: fieldSchema(flag, 'default', {}) }

const invoices: Descriptors = {
  customer: { fields: { name } },
  invoice: {
    fields,
    relations: {
      customer: needs.one('customer'),
      before: knows.one('invoice'),
      tags: knows.many('tag'),
      lines: owns.many('line', { order: 'position' }),
      cover: owns.one('cover'),
    },
    unique: [['name']],
  },
  line: {
    topLevel: true,
    fields,
    relations: {
      invoice: ownedBy('invoice'),
      marks: owns.many('mark'),
      like: knows.one('line'),
      base: needs.one('line', { optional: true }),
    },
    unique: [['invoice', 'name']],
  },
  mark: { fields, relations: { line: ownedBy('line'), of: knows.one('invoice') } },
  cover: { fields, relations: { invoice: ownedBy('invoice') } },
  tag: { fields: { name }, relations: { first: knows.one('invoice') } },
}

const trees: Descriptors = {
  node: {
    fields,
    relations: {
      parent: ownedBy('node', { optional: true, foreignKey: 'parentId' }),
      before: ownedBy('node', { optional: true, foreignKey: 'beforeId' }),
      children: owns.many('node', { inverse: 'parent', order: 'position' }),
      after: owns.one('node', { inverse: 'before' }),
      like: knows.one('node'),
      base: needs.one('node', { optional: true }),
    },
    unique: [['name']],
  },
}

const isShown: Condition = { is: 'constant', property: 'isShown', value: true }
const isOpen: Condition = { is: 'constant', property: 'isOpen', value: true }
const everything: RuleSpecs = { View: true, Add: true, EditBefore: true, EditAfter: true, Delete: true }
const rules: RuleSpecs = { View: isShown, Add: true, EditBefore: isOpen, EditAfter: true, Delete: isOpen }
const added: RuleSpecs = { View: true, Add: isOpen, EditBefore: true, EditAfter: true, Delete: true }
const named: RuleSpecs = {
  View: { is: 'not', of: { is: 'can', action: 'Delete', target: 'invoice', property: 'ofId' } },
  Add: true,
  EditBefore: true,
  EditAfter: isOpen,
  Delete: true,
}

const policies: Access['policies'][] = [
  { invoice: { forAll: rules }, node: { forAll: rules } },
  { invoice: { forAll: added }, line: { forAll: rules }, node: { forAll: added } },
  { invoice: { forAll: rules }, line: { forAll: rules }, mark: { forAll: named } },
]

test(
  'deleted records are shown, come back and are removed for good as those of the reference are',
  async () => {
    await checkProperty({
      models: fc.constantFrom(invoices, trees),
      settings: anySetting.map((setting) => ({ ...setting, keepsDeleted: 'in a trash' as const })),
      recipes: recipesOf({ create: 6, delete: 6, trash: 14, replace: 4, patch: 3, reorder: 2, link: 1, list: 1 }),
      accessFor: (model, tape) => {
        if (tape.once(3)) return undefined
        if (tape.once(2)) return randomAccess(model, tape)
        const roots = [...model.resources.values()].filter(({ isRoot }) => isRoot)
        const all = Object.fromEntries(roots.map(({ key }) => [key, { forAll: everything }]))
        const chosen = policiesIn(model, { ...all, ...tape.of(policies) })
        return { policies: chosen, callers: [{ roles: ['member'], values: {} }] }
      },
      runs: { quick: 5, long: 150 },
    })
  },
  PROPERTY_TIMEOUT,
)
