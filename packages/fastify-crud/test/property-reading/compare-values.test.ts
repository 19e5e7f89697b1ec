import { expect, test } from 'vitest'
import { compareDecimals, compareTexts, compareValues } from './compare-values.ts'
import { fold } from './fold.ts'

test('texts are in order of code points', () => {
  const inOrder = ['', 'A', 'Z', 'a', 'aa', 'ab', 'b', 'á', '\ud7ff', '\ue000', '\uffff', '\u{10000}', '😀']
  expect(inOrder.toReversed().sort(compareTexts)).toEqual(inOrder)
})

test('decimals are exact, however many digits they have', () => {
  expect(compareDecimals('12.50', '12.5')).toBe(0)
  expect(compareDecimals('-0.00', '0')).toBe(0)
  expect(compareDecimals('100000000000000000000.01', '100000000000000000000.1')).toBe(-1)
  expect(compareDecimals('-2', '-10')).toBe(1)
  expect(compareDecimals('0.30000000000000000001', '0.3')).toBe(1)
})

test('a date-time is a point in time', () => {
  expect(compareValues('date-time', '2024-01-01T00:00:00+02:00', '2023-12-31T22:00:00.000Z')).toBe(0)
  expect(compareValues('date-time', '2024-01-01T00:00:00+02:00', '2023-12-31T23:00:00Z')).toBe(-1)
})

test('a value of another type is an error', () => {
  expect(() => compareValues('number', '1', 2)).toThrow('"1" is no number')
  expect(() => compareValues('string', 'a', 2)).toThrow('2 is no text')
  expect(() => compareValues('boolean', true, 'true')).toThrow('"true" is neither')
  expect(() => compareValues('json', {}, {})).toThrow('not compared')
})

test('lower case is that of each code point', () => {
  expect(fold('ÀÉΣΟΣ İẞ\u212a😀', 'simple')).toBe('àéσοσ ißk😀')
  expect(fold('ÀaZ', 'ascii')).toBe('Àaz')
})
