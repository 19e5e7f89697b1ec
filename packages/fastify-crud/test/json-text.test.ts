import { expect, test } from 'vitest'
import { jsonText } from '../src/http/body/json-text.ts'

const LEVELS = 20_000

/** The same value in an array, in an object, and so on. */
function nested(levels: number, innermost: unknown): unknown {
  let value = innermost
  for (let level = 0; level < levels; level++) value = level % 2 === 0 ? [value, 1] : { a: value, b: null }
  return value
}

/** What `JSON.stringify` makes of a deep value, with the text of its innermost one. */
function nestedText(levels: number, innermost: string): string {
  const kinds = Array.from({ length: levels }, (_, level) => level % 2 === 0)
  const open = kinds.map((isArray) => (isArray ? '[' : '{"a":')).reverse()
  return `${open.join('')}${innermost}${kinds.map((isArray) => (isArray ? ',1]' : ',"b":null}')).join('')}`
}

const values: Record<string, unknown> = {
  'nothing but containers': [[], {}, [[]], [{}], { a: {} }],
  'JSON of every type': { a: [1, -0.5, true, false, null, 'x', 'ü"\\\n\ud800'], 'b"c': { d: {} }, '': 0 },
  'what JSON does not have': {
    a: undefined,
    b: () => 1,
    c: Symbol('s'),
    d: Number.NaN,
    e: [undefined, () => 1, Symbol()],
  },
  'values with a `toJSON`': {
    at: new Date(0),
    list: [{ toJSON: (key: string) => `at ${key}` }],
    gone: { toJSON: () => undefined },
  },
  'boxed values': [Object(1), Object('a'), Object(false)],
  'keys that are no properties of its own': Object.create({ inherited: 1 }, { own: { value: 1, enumerable: true } }),
  'maps and sets': { map: new Map([[1, 2]]), set: new Set([1]) },
  'the same object twice': ((one: object) => [one, one, { one }])({ a: 1 }),
}

for (const [what, value] of Object.entries(values)) {
  test(`a value that is too deep for \`JSON.stringify\` is written as it would be: ${what}`, () => {
    expect(jsonText(nested(LEVELS, value))).toBe(nestedText(LEVELS, JSON.stringify(value)))
    expect(jsonText(value)).toBe(JSON.stringify(value))
  })
}

test('what has no JSON has no text', () => {
  expect(jsonText(undefined)).toBeUndefined()
})

test('a circle and a bigint are refused, at any depth', () => {
  const circle: unknown[] = []
  circle.push(nested(LEVELS, circle))
  expect(() => jsonText(circle)).toThrow(TypeError)
  expect(() => jsonText(nested(LEVELS, 1n))).toThrow(TypeError)
})
