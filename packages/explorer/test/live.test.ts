import { beforeAll, describe, expect, test } from 'vitest'
import type { Change } from '../page/effects/effects.ts'
import { type LiveEvent, type Marks, markOf, withMarks } from '../page/live/marks.ts'
import { isOwnWrite, noteOwnWrite } from '../page/live/own-writes.ts'
import { isReached } from '../page/live/reach.ts'
import type { ModelDocument } from '../page/model/model.ts'
import { resources } from './browser/shop.ts'
import { describeModelOf } from './model-of.ts'

let model: ModelDocument
beforeAll(async () => {
  model = await describeModelOf(resources)
})

const event = (changes: readonly Change[], of: Partial<LiveEvent> = {}): LiveEvent => ({
  ...{ effects: 1, write: 'w', position: 1, by: 'ben', changes, ...of },
})

const NONE: Marks = new Map()

describe('the marks of what others have written', () => {
  test('have the state of each record, who did it, and the names of values that changed', () => {
    const marks = withMarks(
      NONE,
      event([
        { action: 'Edit', resource: 'product', id: 1, before: { price: '1.00' }, after: { price: '2.00' } },
        { action: 'Add', resource: 'product', id: 2, after: { name: 'Nib' } },
        { action: 'Delete', resource: 'product', id: 3 },
        { action: 'Link', resource: 'customer', id: 1, relation: 'tags', to: 4 },
      ]),
    )
    expect(markOf(marks, 'product', '1')).toEqual({ state: 'changed', by: 'ben', names: ['price'] })
    expect(markOf(marks, 'product', 2)).toEqual({ state: 'added', by: 'ben', names: [] })
    expect(markOf(marks, 'product', 3)?.state).toBe('gone')
    expect(markOf(marks, 'customer', 1)?.names).toEqual(['tags'])
    expect(markOf(marks, 'customer', 2)).toBeUndefined()
  })

  test('are on the owner of what changed, too, and on the record that was written', () => {
    const change: Change = { action: 'Edit', resource: 'line', id: 7, within: ['order', 2], after: { quantity: 3 } }
    const marks = withMarks(NONE, event([change], { resource: 'order', id: 2 }))
    expect(markOf(marks, 'order', 2)).toEqual({ state: 'changed', by: 'ben', names: ['line'] })
    expect(markOf(withMarks(NONE, event([], { resource: 'order', id: 3 })), 'order', 3)?.state).toBe('changed')
  })

  test('gather: what is new stays new when it is changed, and what was gone and came back is new', () => {
    const add: Change = { action: 'Add', resource: 'tag', id: 1 }
    const edit: Change = { action: 'Edit', resource: 'tag', id: 1, after: { label: 'x' } }
    const drop: Change = { action: 'Delete', resource: 'tag', id: 1 }
    const after = (...changes: readonly Change[]) =>
      markOf(
        changes.reduce((marks, change) => withMarks(marks, event([change])), NONE),
        'tag',
        1,
      )
    expect(after(add, edit)).toMatchObject({ state: 'added', names: ['label'] })
    expect(after(add, edit, drop)?.state).toBe('gone')
    expect(after(drop, add)?.state).toBe('added')
  })
})

describe('a write of the page itself', () => {
  test('is known when the service tells of it, once', () => {
    noteOwnWrite('/order/2/$act/pay')
    expect(isOwnWrite(model, { resource: 'order', id: 3 })).toBe(false)
    expect(isOwnWrite(model, { resource: 'order', id: 2 })).toBe(true)
    expect(isOwnWrite(model, { resource: 'order', id: 2 })).toBe(false)
  })

  test('of a list is any of its records, and one that was refused is none', () => {
    noteOwnWrite('/product')
    noteOwnWrite('/order/1/line/2')()
    expect(isOwnWrite(model, { resource: 'line', id: 2 })).toBe(false)
    expect(isOwnWrite(model, { resource: 'product', id: 9 })).toBe(true)
  })
})

describe('what was read is read again', () => {
  const reached = (key: readonly unknown[], ...changed: string[]) => isReached(model, key, new Set(changed))

  test('after a write of its own records, of what these own, and of what they refer to', () => {
    const key = ['record', {}, '/order/1']
    expect(['order', 'line', 'customer', 'product'].map((one) => reached(key, one))).toEqual([true, true, true, true])
    expect(reached(['list', {}, '/tag', 'limit=1'], 'product')).toBe(false)
    expect(reached(['history', {}, '/order/1/$history', ''], 'line')).toBe(true)
  })

  test('also by a filter that leads through relations', () => {
    expect(reached(['list', {}, '/product', 'limit=1'], 'customer')).toBe(false)
    expect(reached(['list', {}, '/product', 'filter[lines.order.customer.name]=Ada'], 'customer')).toBe(true)
  })

  test('but not the model, and no preview', () => {
    expect(reached(['$model', {}], 'order')).toBe(false)
    expect(reached(['preview', '/order/1', {}], 'order')).toBe(false)
  })
})
