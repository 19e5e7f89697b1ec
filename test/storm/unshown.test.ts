import { expect, test } from 'vitest'
import { festival } from '../support/festival.ts'
import type { JsonBody } from '../support/json-body.ts'
import { unshownOf } from './unshown.ts'

const unshown = (body: JsonBody, answer: JsonBody) => unshownOf(festival, 'band', body, answer)

test('what a body does not set may have any value', () => {
  expect(unshown({ mood: 'sad' }, { id: 1, mood: 'sad', note: 'x', albums: [{ id: 2 }] })).toEqual([])
})

test('another value than the one that was set is found', () => {
  expect(unshown({ mood: 'sad' }, { id: 1, mood: 'glad' })).toEqual(['/mood: "glad" instead of "sad"'])
  expect(unshown({ extra: { a: 1, b: [] } }, { extra: { b: [], a: 1 } })).toEqual([])
  expect(unshown({ extra: { a: 1 } }, { extra: { a: 2 } })).toEqual(['/extra: {"a":2} instead of {"a":1}'])
})

test('the same is found in owned records, by their ids', () => {
  const answer = { page: { id: 5, url: 'p' }, albums: [{ id: 2, title: 'b', year: 1, tracks: [] }] }
  expect(unshown({ page: { url: 'q' } }, answer)).toEqual(['/page/url: "p" instead of "q"'])
  expect(unshown({ page: null }, answer)).toEqual([expect.stringMatching(/^\/page: /)])
  expect(unshown({ albums: [{ id: 2, year: 3 }] }, answer)).toEqual(['/albums/0/year: 1 instead of 3'])
  expect(unshown({ albums: [{ id: 4, year: 3 }] }, answer)).toEqual(['/albums/0: is not there'])
  expect(unshown({ albums: [{ id: 4, $remove: true }] }, answer)).toEqual([])
  expect(unshown({ albums: [{ id: 2, $remove: true }] }, answer)).toEqual(['/albums/0: is there'])
})

test('a new owned record is any that was not listed and shows all that was set', () => {
  const answer = { albums: [{ id: 2, title: 'b', tracks: [] }] }
  expect(unshown({ albums: [{ title: 'b', tracks: [] }] }, answer)).toEqual([])
  expect(unshown({ albums: [{ title: 'c' }] }, answer)).toEqual(['/albums/0: is not there'])
  expect(unshown({ albums: [{ id: 2 }, { title: 'b' }] }, answer)).toEqual(['/albums/1: is not there'])
})
