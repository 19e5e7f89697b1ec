import { expect, test } from 'vitest'
import { decimalSum } from '../../src/sql/dialect/sqlite/decimals.ts'

const sumOf = (...values: readonly unknown[]) => decimalSum(JSON.stringify(values))

test('A sum of decimals is exact, and has as many places as the number that has most', () => {
  expect(sumOf('0.1', '0.2')).toBe('0.3')
  expect(sumOf('1.50', '2')).toBe('3.50')
  expect(sumOf('-0.05', '0.05')).toBe('0.00')
  expect(sumOf('-0.05')).toBe('-0.05')
  expect(sumOf('99999999999999999999', '1')).toBe('100000000000000000000')
  expect(sumOf('0.000000000000000000001', '-1')).toBe('-0.999999999999999999999')
})

test('Of no numbers it is 0, and what is no number does not count', () => {
  expect(sumOf()).toBe('0')
  expect(sumOf(null, 'abc', '', '1e9999', {}, '2.5')).toBe('2.5')
  expect(decimalSum(null)).toBe(null)
})

test('It adds numbers as SQLite prints them', () => {
  expect(sumOf('1e+20', '1.5e-3')).toBe('100000000000000000000.0015')
  expect(sumOf(1.5, '0.25')).toBe('1.75')
})
