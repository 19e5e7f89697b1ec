import { expect, test } from 'vitest'
import type { Stored } from './check-history.ts'
import { checkTrash } from './check-trash.ts'
import type { Key, Write } from './history.ts'

let count = 0

/** One that is done after those that were made before it. */
function write(method: string, path: string, target: readonly Key[], given: Partial<Write> = {}): Write {
  count += 1
  return {
    ...{ line: 'sent', token: `w1.${count}.`, method, path, at: count * 10, until: count * 10 + 5, target, size: 0 },
    ...{ sets: [], outcome: 'done', status: 200, code: undefined, records: [], unshown: [], ...given },
    removes: method === 'DELETE' && !path.includes('$deleted'),
  }
}

/** An answer with these records, which are new if the write is a creation. */
function shown(one: Write, ...keys: readonly Key[]): Write {
  const owner = (key: Key) => (key.startsWith('paper/') && keys.includes('drawer/1') ? 'drawer/1' : undefined)
  const noted = (key: Key) => ({
    key,
    text: one.token,
    mood: undefined,
    owner: owner(key),
    isNew: one.method === 'POST',
  })
  return { ...one, records: keys.map(noted) }
}

const post = () => shown(write('POST', '/api/drawer', []), 'drawer/1', 'paper/2')
const deletion = (key: Key = 'drawer/1') => write('DELETE', `/api/${key}`, [key])
const restoration = (key: Key = 'drawer/1') => write('POST', `/api/${key}/$restore`, [key])
const purge = (key: Key = 'drawer/1') => write('DELETE', `/api/${key.replace('/', '/$deleted/')}`, [key])
const list = (...keys: readonly Key[]) => shown(write('GET', '/api/drawer/$deleted?limit=100', []), ...keys)

const left = (isDeleted: boolean, ...keys: readonly Key[]): Stored[] =>
  keys.map((key) => ({
    key,
    text: null,
    mood: undefined,
    owner: key === 'paper/2' ? 'drawer/1' : undefined,
    isDeleted,
  }))

const both = ['drawer/1', 'paper/2'] as const

test('all is well where each record is where its last write has put it, with what it owns', () => {
  expect(checkTrash([post()], left(false, ...both))).toEqual([])
  expect(checkTrash([post(), deletion()], left(true, ...both))).toEqual([])
  expect(checkTrash([post(), deletion(), list(...both), restoration(), list()], left(false, ...both))).toEqual([])
  expect(checkTrash([post(), deletion(), purge(), list()], [])).toEqual([])
  expect(
    checkTrash(
      [post(), deletion('paper/2'), deletion(), restoration()],
      [...left(false, 'drawer/1'), ...left(true, 'paper/2')],
    ),
  ).toEqual([])
})

test.each([
  ['a deleted record that is there', [deletion()], left(false, 'drawer/1'), 'drawer/1 is there'],
  ['one that is deleted, though nobody did that', [], left(true, 'drawer/1'), 'drawer/1 is deleted'],
  ['one that came back, and is deleted', [deletion(), restoration()], left(true, 'drawer/1'), 'drawer/1 is deleted'],
  ['one that is gone, though nobody removed it for good', [deletion()], [], 'drawer/1 is gone'],
  [
    'one that was removed for good, and is deleted',
    [deletion(), purge()],
    left(true, 'drawer/1'),
    'drawer/1 is deleted',
  ],
  ['a list with one that is not deleted', [list('drawer/1')], left(false, 'drawer/1'), ' shows drawer/1'],
  [
    'a list with one that came back',
    [deletion(), restoration(), list('drawer/1')],
    left(false, 'drawer/1'),
    ' shows drawer/1',
  ],
  [
    'a list that lacks a deleted one',
    [deletion(), list(), restoration()],
    left(false, 'drawer/1'),
    ' does not show drawer/1',
  ],
])('%s is found', (_, writes, stored, expected) => {
  const first = { ...shown(write('POST', '/api/drawer', []), 'drawer/1'), at: 0, until: 1 }
  expect(checkTrash([first, ...writes], stored)).toEqual([expect.stringContaining(expected)])
})

test('what a deleted record owns, and is there, is found', () => {
  const stored = [...left(true, 'drawer/1'), ...left(false, 'paper/2')]
  expect(checkTrash([post(), deletion()], stored)).toEqual([expect.stringMatching(/^paper\/2 is there/)])
})

test('a write without an answer may have been done at any time, or never', () => {
  const unknown = { outcome: 'unknown', until: Number.POSITIVE_INFINITY } as const
  const writes = [post(), { ...deletion(), ...unknown }, list()]
  expect(checkTrash(writes, left(false, ...both))).toEqual([])
  expect(checkTrash(writes, left(true, ...both))).toEqual([])
  expect(checkTrash([...writes, list('drawer/1')], left(true, ...both))).toEqual([])
})
