import { expect, test } from 'vitest'
import { summaryOf, wordsOfChange } from '../page/effects/effects.ts'

test('changes are said in words: what, to which values, and why', () => {
  expect(
    [
      { action: 'Delete', resource: 'line', id: 2, because: 'ownerDeleted', before: { quantity: 1 } },
      {
        action: 'Edit',
        resource: 'note',
        id: 9,
        because: 'referenceDeleted',
        before: { aboutId: 2 },
        after: { aboutId: null },
      },
      { action: 'Unlink', resource: 'list', id: 1, relation: 'tags', to: 4, because: 'linkedRecordDeleted' },
      { action: 'Add', resource: 'item', id: null, after: { text: 'salt' } },
    ].map((change) => wordsOfChange(change as never)),
  ).toEqual([
    'line 2 deleted · goes with its owner',
    'note 9 changed: aboutId 2 → nothing · refers to what is deleted',
    'list 1: tags 4 unlinked · is linked with what is deleted',
    'item (new) added',
  ])
})

test('they are counted by what happens to which kind of record', () => {
  const changes = [1, 2].map((id) => ({ action: 'Delete', resource: 'line', id }) as const)
  expect(summaryOf({ effects: 1, changes: [{ action: 'Delete', resource: 'order', id: 1 }, ...changes] })).toEqual([
    '1 order deleted',
    '2 line deleted',
  ])
})
