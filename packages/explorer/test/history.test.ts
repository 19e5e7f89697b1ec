import { expect, test } from 'vitest'
import { byDay, filterIn, type HistoryEntry, nameOfCaller, queryOf, wordsOfEntry } from '../page/history/history.ts'

const entry = (operation: string, more: Partial<HistoryEntry> = {}): HistoryEntry => ({
  ...{ effects: 1, write: 'x', at: '2026-11-24T12:00:00.000Z', operation, resource: 'book', id: 7, changes: [] },
  ...more,
})
const self = { resource: 'book', id: '7' }

test.each([
  [entry('patch'), 'changed this book'],
  [entry('create'), 'created this book'],
  [entry('undo'), 'undid a change of this book'],
  [entry('patch', { resource: 'chapter', id: 3 }), 'changed chapter 3'],
  [entry('reprice'), 'ran reprice on this book'],
  [entry('constructor'), 'ran constructor on this book'],
])('a write is said in words: %#', (write, words) => expect(wordsOfEntry(write, self)).toBe(words))

test('so are writes of many', () => {
  const { id: _, ...many } = entry('delete')
  expect(wordsOfEntry(many, self)).toBe('deleted book records')
  const { resource: __, ...batch } = { ...many, operation: 'batch' }
  expect(wordsOfEntry(batch, self)).toBe('changed several records')
})

test.each([
  ['ada', 'ada'],
  [7, '7'],
  [{ id: 7, name: 'Ada' }, 'Ada'],
  [{ user: 'ada' }, 'ada'],
  [{ roles: ['staff'] }, '{"roles":["staff"]}'],
  [undefined, 'Somebody'],
  [null, 'Somebody'],
])('a caller is named as the application does: %j', (by, name) => expect(nameOfCaller(by)).toBe(name))

test('writes are put together by day, in their order', () => {
  const [first, second] = [entry('patch'), entry('create', { at: '2026-11-20T12:00:00.000Z' })]
  expect(byDay([first, first, second]).map(([, entries]) => entries)).toEqual([[first, first], [second]])
})

test('days and a caller are in the address as the service takes them, and come back from there', () => {
  const filter = { from: '2026-03-28', until: '2026-03-31', by: '"ada"' }
  const query = queryOf(filter)
  expect(query.get('filter[at][gte]')).toBe(new Date(2026, 2, 28).toISOString())
  expect(query.get('filter[at][lt]')).toBe(new Date(2026, 3, 1).toISOString())
  expect(filterIn(query)).toEqual(filter)
  expect(filterIn(new URLSearchParams('filter[at][gte]=x'))).toEqual({ from: '', until: '', by: '' })
})
