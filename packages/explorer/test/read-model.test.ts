import { expect, test } from 'vitest'
import { csvCell } from '../page/import/csv.ts'
import { graphOf, toMermaid } from '../page/map/graph.ts'
import { defaultColumns, incomingOf, spotAt, titleOf } from '../page/model/names.ts'
import { readModel } from '../page/model/read-model.ts'
import { textOf } from '../page/model/value-text.ts'

test.each([undefined, null, 7, 'text', [], {}, { resources: null }, { resources: 7 }])('%j is no model', (body) => {
  expect(() => readModel(body)).toThrow('Its $model is none')
})

test('what a resource lacks, or has of another type, is as if it had nothing there', () => {
  const { resources, limits } = readModel({
    limits: { maxPage: 'many' },
    resources: {
      none: null,
      text: 'text',
      odd: {
        description: { a: 1 },
        paths: ['/odd', 7, 'javascript:go()'],
        fields: { a: null, b: { schema: 'x' } },
        relations: [7],
      },
    },
  })
  expect(limits).toEqual({ defaultPage: 20, maxPage: 100 })
  expect(resources.none).toMatchObject({ paths: [], operations: {} })
  expect(resources.odd?.description).toBe('[object Object]')
  expect(resources.odd?.paths).toEqual(['/odd'])
  expect(resources.odd?.fields.a).toEqual({ schema: {} })
  expect(Object.values(resources.odd?.relations ?? {})).toEqual([{ kind: 'undefined', target: 'undefined' }])
})

/** Names that every object has, as a service may send them. */
const OF_OBJECTS = readModel(
  JSON.parse(`{"resources":{
    "__proto__":{"paths":["/__proto__"],"fields":{"isHacked":{"schema":{"type":"boolean"}}},"relations":{}},
    "book":{"paths":["/book"],"fields":{"__proto__":{"schema":{"type":"string"}},"toString":{"schema":{"type":"string"}}},
      "relations":{"maker":{"kind":"needs.one","target":"constructor","foreignKey":"makerId"},"toString":{"kind":"owns.one","target":"__proto__"}}}}}`),
)

test('names that every object has are names like others, and lead to nothing else', () => {
  expect(Object.keys(OF_OBJECTS.resources)).toEqual(['__proto__', 'book'])
  expect(OF_OBJECTS.resources.constructor).toBeUndefined()
  expect(OF_OBJECTS.resources.book?.relations.valueOf).toBeUndefined()
  expect(spotAt(OF_OBJECTS, '/__proto__/1')).toMatchObject({ resource: '__proto__', id: '1' })
  expect(incomingOf(OF_OBJECTS, 'constructor').map(({ relation }) => relation)).toEqual(['maker'])
  expect(defaultColumns(OF_OBJECTS, 'book')).toContain('maker.id')
  expect(graphOf(OF_OBJECTS).edges.map(({ to }) => to)).toEqual(['__proto__'])
  expect('isHacked' in {}).toBe(false)
})

test('an address that cannot be decoded is one all the same', () => {
  expect(spotAt(OF_OBJECTS, '/book/%zz')).toMatchObject({ id: '%zz' })
})

test('values that are too large to be shown are cut, and those that are nested too deeply left out', () => {
  let deep: unknown = 1
  for (let level = 0; level < 200_000; level += 1) deep = [deep]
  expect(textOf(deep, 'json')).toBe('…')
  const fields = { name: { schema: { type: 'string', maxLength: 9 } } }
  const { resources } = readModel({ resources: { book: { fields } } })
  expect(titleOf('book', resources.book, { id: 1, name: 'x'.repeat(1e7) })).toHaveLength(201)
})

test('no name of the model is an order to whoever draws a saved map', () => {
  const name = 'a\n  click book href "javascript:go()"'
  const text = toMermaid(
    graphOf(readModel({ resources: { [name]: { relations: { 'b;\nc': { kind: 'knows.one', target: name } } } } })),
  )
  expect(text).not.toMatch(/["']java|^ *click/m)
  expect(text.trimEnd().split('\n')).toHaveLength(3)
})

test.each(['=1+1', '+1+1', '-1+1', '@sum(a)', '\t=1', '\r=1', '\n=1'])('%j becomes no formula', (text) => {
  expect(csvCell(text).replace(/^"/, '')).toMatch(/^'/)
})
