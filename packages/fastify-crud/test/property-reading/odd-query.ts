import type { Tape } from '../property/tape.ts'
import { textOfPairs } from './query-text.ts'
import type { ReadingResource } from './reading-model.ts'
import { typeOf, type ValueType } from './value-types.ts'

/** Operands that the page says nothing of, as JSON. */
const operands: Readonly<Record<ValueType, readonly string[]>> = {
  string: ['"a\\u0000b"', '"\\ud800"', '"\\udc00a"', `"${'x'.repeat(3000)}"`, 'null', '{"in":[null]}', '{}'],
  enum: ['"none of them"', '"\\u0000"', 'null', '{"contains":"e"}', '{"lt":""}'],
  integer: ['1.5', '1e30', '-0', '9007199254740993', '1e400', '1.0', '{"lt":-1e308}', 'null'],
  number: ['1e400', '-1e400', '-0', '1e-400', '123456789012345678901234567890', 'null'],
  boolean: ['{"lt":true}', 'null', '{"in":[true,false,true]}'],
  date: ['"0000-01-01"', '"9999-12-31"', '{"contains":"20"}', 'null', '"2024-02-29T00:00:00Z"'],
  'date-time': [
    '"0000-01-01T00:00:00Z"',
    '"9999-12-31T23:59:59.999999Z"',
    '"2024-12-31T23:59:60Z"',
    '"2024-01-01T00:00:00.0000000001Z"',
    '"2024-01-01t00:00:00z"',
    '"2024-01-01 00:00:00Z"',
    '"2024-01-01T00:00:00"',
    '"now"',
    '"2024-01-01"',
    '"infinity"',
    '{"contains":"20"}',
  ],
  decimal: [`"${'9'.repeat(2000)}.${'1'.repeat(2000)}"`, '"-0"', '12.5', '"NaN"', '"Infinity"', '{"contains":"1"}'],
  id: ['0', '-1', '1.5', '1e30', '-9007199254740993', '1e400', 'null', '2147483648', '{"null":true}'],
  json: ['{"null":true}', 'null', '{}', '[]', '{"eq":{}}', '{"in":[]}'],
}

const texts = [
  'filter[id]=%00',
  'filter[id][in]=',
  'filter={}&filter={}',
  'filter={"and":[]}',
  'filter={"not":{}}',
  'filter={"id":1,"id":2}',
  'filter={"not":{"not":{"not":{}}}}',
  'sort=id,id',
  'sort=id,-id',
  'sort=lower(id)',
  'limit=00001',
  'limit=20&offset=9007199254740991',
  'offset=99999999999999999999',
  'filter=+{}',
  'a+b=1',
  '&&limit=1&&',
  'limit',
  '=1',
  '?limit=1',
  'filter[id]&limit=1',
]

/**
 * A query of which the page does not say what it means. It is answered or refused, on both databases alike, and never with an
 * error of the server.
 */
export function oddQuery(resource: ReadingResource, tape: Tape): string {
  const { fields, relations } = resource
  const field = tape.of(fields)
  if (field === undefined || tape.once(4)) return `?${tape.of(texts)?.replaceAll(/[{}"]/g, encodeURIComponent)}`
  const relation = tape.of(relations)
  if (relation !== undefined && tape.once(5)) {
    const operation = tape.of(['1', '{"null":true}', '{"some":{}}', '{"none":{},"some":{}}', '{}', '{"eq":1}']) ?? ''
    return textOfPairs([['filter', `{"${relation.name}":${operation}}`]])
  }
  const type = typeOf(field.schema)
  const operand = tape.of(operands[type]) ?? 'null'
  const operator = tape.of(['', 'ne', 'gt', 'lte', 'in']) ?? ''
  const isWhole = operator === '' || operand.startsWith('{')
  const operation = isWhole ? operand : `{"${operator}":${operator === 'in' ? `[${operand}]` : operand}}`
  return textOfPairs([['filter', `{"${field.name}":${operation}}`]])
}
