import { expect, test } from 'vitest'
import { type Change, summaryOf, wordsOfChange } from '../page/effects/effects.ts'
import type { ModelDocument } from '../page/model/model.ts'

const text = { schema: { type: 'string', maxLength: 40 } }
const resource = { paths: [], relations: {}, defaultInclude: [], operations: {} }
const model: ModelDocument = {
  model: 1,
  hash: 'x',
  limits: { defaultPage: 20, maxPage: 100 },
  resources: {
    line: { ...resource, fields: { quantity: { schema: { type: 'integer' } } } },
    item: { ...resource, fields: { text, done: { schema: { type: 'boolean' } } } },
  },
}

const words = (change: Partial<Change>, self?: { resource: string; id: unknown }): string => {
  const { what, differences, why } = wordsOfChange(model, change as Change, self)
  const values = differences.map(({ name, before, after }) => `${name} ${before} → ${after}`)
  return [[what, values.join(', ')].filter(Boolean).join(': '), why].filter(Boolean).join(' · ')
}

test('changes are said in words: what, to which values, and why', () => {
  expect(
    [
      { action: 'Delete', resource: 'line', id: 2, because: 'ownerDeleted', before: { quantity: 1 } },
      {
        ...{ action: 'Edit', resource: 'note', id: 9, because: 'referenceDeleted' },
        ...{ before: { aboutId: 2 }, after: { aboutId: null } },
      },
      { action: 'Unlink', resource: 'list', id: 1, relation: 'tags', to: 4, because: 'linkedRecordDeleted' },
      { action: 'Add', resource: 'item', id: null, after: { text: 'salt', done: false } },
      { action: 'Edit', resource: 'line', id: 3, because: 'order' },
    ].map((change) => words(change as Partial<Change>)),
  ).toEqual([
    'line 2 deleted · goes with its owner',
    'note 9 changed: aboutId 2 → nothing · refers to what is deleted',
    'list 1: tags 4 unlinked · is linked with what is deleted',
    'item (new) “salt” added',
    'line 3 changed · has another place',
  ])
})

test('what is said of the page’s own record has no name, and values are those that lists show', () => {
  const change = { resource: 'item', id: 7 } as const
  const edit = { ...change, action: 'Edit', before: { done: false }, after: { done: true, text: '' } } as const
  expect(words(edit, { resource: 'item', id: '7' })).toBe('done no → yes, text nothing → “”')
  expect(words(edit, { resource: 'item', id: '8' })).toBe('item 7 changed: done no → yes, text nothing → “”')
  expect(words({ ...change, action: 'Delete' }, { resource: 'item', id: '7' })).toBe('this item deleted')
  expect(words({ ...change, action: 'Edit', because: 'order' }, change)).toBe('this item changed · has another place')
  expect(words({ ...change, action: 'Link', relation: 'tags', to: 4 }, change)).toBe('tags 4 linked')
})

test('they are counted by what happens to which kind of record', () => {
  const changes = [1, 2].map((id) => ({ action: 'Delete', resource: 'line', id }) as const)
  expect(
    summaryOf({ effects: 1, write: 'x', changes: [{ action: 'Delete', resource: 'order', id: 1 }, ...changes] }),
  ).toEqual(['1 order deleted', '2 line deleted'])
})
