import type { Json } from '../property/json.ts'
import type { OrderedIds } from './ordered-ids.ts'
import type { ValueType } from './value-types.ts'

/** What is no value of a type in JSON. */
export const wrongValues: Readonly<Record<ValueType, readonly Json[]>> = {
  string: [1, true, [], ['a']],
  enum: [1, true, []],
  integer: ['1', true, [], [1]],
  number: ['0.5', true, []],
  boolean: [0, 'true', []],
  date: ['x', 20240229, '2023-02-29', ''],
  'date-time': ['x', 0, '2024-02-30T00:00:00Z', ''],
  decimal: ['x', '', '1e3', true],
  id: ['1', true, []],
  json: [1, 'x', true],
}

/** The same in brackets, where everything is a text. */
export const wrongTexts: Readonly<Record<ValueType, readonly string[]>> = {
  string: [],
  enum: [],
  integer: ['', 'x', '+1', '01', ' 1', '0x10', 'true', 'null', 'NaN', '1,2'],
  number: ['', 'x', '.5', '+1', '1.', 'Infinity', '1_0'],
  boolean: ['', 'TRUE', '1', 'yes', 'null'],
  date: ['', 'x', '2024-13-01', '2024-2-1'],
  'date-time': ['', 'x', '2024-02-30T00:00:00Z'],
  decimal: ['', 'x', '1e3', '.5', '01', '+1', '--1'],
  id: ['', 'x', '+1', '01', ' 1', '0x10', 'true'],
  json: ['1', 'x', ''],
}

/** What is no id of a kind in JSON. */
export function wrongIds({ isNumber }: OrderedIds): readonly Json[] {
  return isNumber ? wrongValues.id : [1, true, []]
}

/** The same in brackets. */
export function wrongIdTexts({ isAnyText }: OrderedIds): readonly string[] {
  return isAnyText ? [] : wrongTexts.id
}
