import { expect, test } from 'vitest'
import { integerId } from '../../src/model/ids/integer-id.ts'

const { compare, fromJson, fromPath, isChoosable } = integerId('database')

test('in JSON, an integer id is an integer that every database and client can hold', () => {
  for (const id of [1, 0, -1, 2 ** 31, Number.MAX_SAFE_INTEGER, -Number.MAX_SAFE_INTEGER]) expect(fromJson(id)).toBe(id)
  for (const other of [1.5, 2 ** 53, Number.NaN, '1', true, null, undefined, [1]]) {
    expect(fromJson(other), String(other)).toBeUndefined()
  }
})

test('in a path, an integer id is digits without a leading zero, with a minus before those of a negative one', () => {
  expect(fromPath('1')).toBe(1)
  expect(fromPath('0')).toBe(0)
  expect(fromPath('-12')).toBe(-12)
  expect(fromPath('9007199254740991')).toBe(Number.MAX_SAFE_INTEGER)
  for (const other of ['', '01', '+1', '-0', '-01', '--1', '1.5', '1e3', ' 1', '١'])
    expect(fromPath(other), other).toBeUndefined()
})

test('in a path, more digits than a number holds stay what they are, as far as a message can show them', () => {
  expect(fromPath('9007199254740993')).toBe('9007199254740993')
  expect(fromPath('9'.repeat(400))).toBe(`${'9'.repeat(100)}…`)
  expect(fromJson(fromPath('9007199254740993'))).toBeUndefined()
})

test('a client may choose an integer id that leaves room for the ids of the database', () => {
  expect([1, 2_000_000_000].map(isChoosable)).toEqual([true, true])
  expect([0, 2_000_000_001, 1.5].map(isChoosable)).toEqual([false, false, false])
})

test('integer ids are in numeric order', () => {
  expect([10, 9, 100].sort(compare)).toEqual([9, 10, 100])
})
