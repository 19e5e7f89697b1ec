import { defineResources } from '@fastify-crud/core'
import { resourceOf } from '@fastify-crud/core/internal'
import { type TSchema, Type } from '@sinclair/typebox'
import { describe, expect, test } from 'vitest'

/** What is wrong with a value of a field of that schema, each with its place in the value. */
function problemsOf(schema: TSchema, value: unknown): readonly string[] {
  const [field] = resourceOf(defineResources({ a: { fields: { x: schema } } }), 'a').fields
  return field?.check(value).map(({ at, message }) => `${at}: ${message}`) ?? []
}

/** Items that count how often somebody looks into them. */
function watchedItems(count: number, valueAt: (index: number) => unknown) {
  const seen = { looks: 0 }
  const items = Array.from({ length: count }, (_, index) => ({
    get a() {
      seen.looks++
      return valueAt(index)
    },
  }))
  return { items, seen }
}

const item = Type.Object({ a: Type.Integer() })
const tooMany = ['must have at most 2 items']
const three = (): ReturnType<typeof watchedItems> => watchedItems(3, () => 'no integer')
const bounded = { maxItems: 2 }

describe('nobody looks into the items of an array that has too many', () => {
  test.each<[string, TSchema, (items: unknown) => unknown, string]>([
    ['in a field', Type.Array(item, { ...bounded, uniqueItems: true }), (items) => items, ''],
    [
      'in a property',
      Type.Object({ list: Type.Array(item, { ...bounded, uniqueItems: true }) }),
      (list) => ({ list }),
      '/list',
    ],
    ['in an array', Type.Array(Type.Array(item, bounded)), (items) => [[], items], '/1'],
    ['in a tuple', Type.Tuple([Type.Array(item, bounded)]), (items) => [items], '/0'],
    ['in a record', Type.Record(Type.String(), Type.Array(item, bounded)), (items) => ({ k: items }), '/k'],
    [
      'in an additional property',
      Type.Object({}, { additionalProperties: Type.Array(item, bounded) }),
      (items) => ({ k: items }),
      '/k',
    ],
    ['beside allOf', Type.Unsafe({ type: 'array', ...bounded, allOf: [{ items: item }] }), (items) => items, ''],
    [
      'beside anyOf',
      Type.Unsafe({ ...bounded, anyOf: [{ items: item }, { type: 'array', items: item }] }),
      (items) => items,
      '',
    ],
    [
      'beside oneOf',
      Type.Unsafe({ ...bounded, oneOf: [{ items: item }, { type: 'array', items: item }] }),
      (items) => items,
      '',
    ],
    ['beside not', Type.Unsafe({ ...bounded, not: { items: item } }), (items) => items, ''],
    ['beside if', Type.Unsafe({ ...bounded, if: { items: item } }), (items) => items, ''],
    ['beside contains', Type.Unsafe({ ...bounded, contains: item }), (items) => items, ''],
    ['beside unevaluatedItems', Type.Unsafe({ ...bounded, unevaluatedItems: item }), (items) => items, ''],
    [
      'beside $ref',
      Type.Unsafe({ ...bounded, $ref: '#/$defs/list', $defs: { list: { items: item } } }),
      (items) => items,
      '',
    ],
    [
      'behind $ref into $defs',
      Type.Unsafe({ $ref: '#/$defs/list', $defs: { list: Type.Array(item, bounded) } }),
      (items) => items,
      '',
    ],
    [
      'behind $ref into definitions',
      Type.Unsafe({
        type: 'object',
        properties: { p: { $ref: '#/definitions/list' } },
        definitions: { list: { ...bounded, items: item } },
      }),
      (items) => ({ p: items }),
      '/p',
    ],
    ['in a branch of allOf', Type.Unsafe({ allOf: [Type.Array(item, bounded)] }), (items) => items, ''],
  ])('%s', (_, schema, around, at) => {
    const { items, seen } = three()
    expect(problemsOf(schema, around(items))).toEqual(tooMany.map((message) => `${at}: ${message}`))
    expect(seen.looks).toBe(0)
  })

  test('in a branch of anyOf', () => {
    const { items, seen } = three()
    const schema = Type.Union([Type.Array(item, bounded), Type.Array(Type.String(), { maxItems: 1 })])
    expect(problemsOf(schema, items)).toEqual([
      ': must have at most 2 items',
      ': must have at most 1 item',
      ': must match a schema in anyOf',
    ])
    expect(seen.looks).toBe(0)
  })

  test('in a branch of not', () => {
    const { items, seen } = three()
    expect(problemsOf(Type.Unsafe({ type: 'array', not: { ...bounded, items: item } }), items)).toEqual([])
    expect(seen.looks).toBeLessThanOrEqual(3) // to see that the value can be stored
  })
})

describe('a text that is too long', () => {
  const long = 'é'.repeat(6)
  const tooLong = [': must have at most 5 characters']

  test('is not matched against a pattern or a format', () => {
    expect(problemsOf(Type.String({ maxLength: 5, pattern: '^x', format: 'email', minLength: 9 }), long)).toEqual(
      tooLong,
    )
    expect(problemsOf(Type.Unsafe({ type: 'string', maxLength: 5, allOf: [{ pattern: '^x' }] }), long)).toEqual(tooLong)
    expect(
      problemsOf(Type.Unsafe({ type: 'string', maxLength: 5, anyOf: [{ pattern: '^x' }, { const: 'a' }] }), long),
    ).toEqual(tooLong)
  })

  test('is not asked for what the whole value has to be', () => {
    // Backtracks for longer than anybody waits, if it is run.
    const slow = '^(?:é+)+$'
    expect(problemsOf(Type.String({ maxLength: 5, pattern: slow }), `${'é'.repeat(60)}x`)).toEqual(tooLong)
  })
})

test('an object with too many properties is not looked into', () => {
  const { items, seen } = watchedItems(1, () => 1)
  const schema = Type.Object({ a: Type.String(), c: Type.String() }, { maxProperties: 0, additionalProperties: false })
  expect(problemsOf(schema, items[0])).toEqual([': must NOT have more than 0 properties'])
  expect(seen.looks).toBe(0)
})

test('where all sizes fit, every problem is listed with its place', () => {
  const schema = Type.Object(
    {
      list: Type.Array(item, { maxItems: 9, uniqueItems: true }),
      text: Type.String({ maxLength: 9, pattern: '^x', format: 'email' }),
      choice: Type.Unsafe({ type: 'array', maxItems: 9, minItems: 3, allOf: [{ items: { type: 'integer' } }] }),
    },
    { maxProperties: 9, additionalProperties: false },
  )
  expect(problemsOf(schema, { list: [{ a: 'b' }, { a: 'b' }], text: 'a', choice: ['a'], more: 1 }).toSorted()).toEqual([
    '/choice/0: must be integer',
    '/choice: must have at least 3 items',
    '/list/0/a: must be integer',
    '/list/1/a: must be integer',
    '/list: must NOT have duplicate items (items ## 0 and 1 are identical)',
    "/more: the object has no property 'more'",
    '/text: must match format "email"',
    '/text: must match pattern "^x"',
  ])
})

test('a size counts beside properties that nothing else allows', () => {
  const schema = Type.Unsafe({
    type: 'object',
    maxProperties: 2,
    anyOf: [
      { properties: { a: true }, required: ['a'] },
      { properties: { b: true }, required: ['b'] },
    ],
    unevaluatedProperties: false,
  })
  expect(problemsOf(schema, { a: 1, b: 1 })).toEqual([])
  expect(problemsOf(schema, { a: 1, c: 1 })).toEqual([': must NOT have unevaluated properties'])
  expect(problemsOf(schema, { a: 1, b: 1, c: 1 })).toEqual([': must NOT have more than 2 properties'])
})

describe('uniqueItems', () => {
  const unique = Type.Array(Type.Any(), { uniqueItems: true })

  test('looks at each of many objects a few times, not once for every other', () => {
    const { items, seen } = watchedItems(10_000, (index) => index)
    expect(problemsOf(Type.Array(item, { uniqueItems: true }), items)).toEqual([])
    expect(seen.looks).toBeLessThan(100_000)
  })

  test('looks at what is nested in several of them no more often', () => {
    const { items, seen } = watchedItems(100, (index) => index)
    const schema = Type.Unsafe({ $recursiveAnchor: true, uniqueItems: true, items: { $recursiveRef: '#' } })
    let nested: unknown[] = items
    for (let depth = 0; depth < 50; depth++) nested = [nested, depth]
    expect(problemsOf(schema, nested)).toEqual([])
    expect(seen.looks).toBeLessThan(1000)
  })

  test.each<[string, unknown[]]>([
    ['objects whose keys come in another order', [{ a: 1, b: [2] }, 0, { b: [2], a: 1 }]],
    ['1.0 and 1', [JSON.parse('1.0'), 0, 1]],
    ['0 and -0', [0, 'x', -0]],
    ['nested objects', [[{ a: { b: null, c: '' } }], 0, [{ a: { c: '', b: null } }]]],
    ['texts', ['a', 'b', 'a']],
    ['texts that are names of what every object has', ['__proto__', 0, '__proto__']],
    ['null', [null, 0, null]],
  ])('takes %s for equal', (_, items) => {
    expect(problemsOf(unique, items)).toEqual([': must NOT have duplicate items (items ## 0 and 2 are identical)'])
  })

  test('does not take for equal what only looks alike', () => {
    const values = [1, '1', true, 'true', null, 'null', [], {}, '[]', '{}', [1], ['1'], [[1]], { 1: 1 }, '', ['a,b']]
    const more = [['a', 'b'], ['a","b'], { a: 1 }, { a: 1, b: 2 }, { 'a":1,"b': 2 }, [null], [[]], 'é', 'e\u0301']
    expect(problemsOf(unique, [...values, ...more])).toEqual([])
  })

  test('that is false asks for nothing', () => {
    expect(problemsOf(Type.Array(Type.Any(), { uniqueItems: false }), [1, 1])).toEqual([])
  })

  test('sees an array anew that has changed since it was looked at', () => {
    const [field] = resourceOf(defineResources({ a: { fields: { x: unique } } }), 'a').fields
    const items = [{ a: 1 }, { a: 2 }]
    expect(field?.check(items)).toEqual([])
    items[1] = { a: 1 }
    expect(field?.check(items)).toHaveLength(1)
    Object.assign(items[1], { a: 3 })
    expect(field?.check(items)).toEqual([])
  })
})

test('a long text that is nearly a url is told from one', () => {
  // To try every way to split the text at its colons would take minutes.
  const schema = Type.String({ format: 'url' })
  expect(problemsOf(schema, `http://${':'.repeat(1_000_000)}`)).toEqual([': must match format "url"'])
  for (const url of ['http://a.bc', 'https://u:p@a.bc:80/x?y#z', 'ftp://u@1.2.3.4', 'http://a:b:c@d.ef'])
    expect(problemsOf(schema, url)).toEqual([])
  for (const text of ['http://@', 'a.bc', 'http://a b@c.de', 'http://10.0.0.1'])
    expect(problemsOf(schema, text)).toHaveLength(1)
})
