import type { JsonObject } from '../property/json.ts'
import type { Tape } from '../property/tape.ts'
import { type Pair, textOfPairs } from './query-text.ts'
import type { ReadingModel, ReadingResource } from './reading-model.ts'
import { readingResourceOf } from './reading-model.ts'
import { typeOf, type ValueType } from './value-types.ts'
import { wrongTexts, wrongValues } from './wrong-values.ts'

/** A query with one mistake. */
export interface BrokenQuery {
  /** As it stands in a URL. */
  readonly text: string
  /** What the refusal has to name; undefined where there is no name. */
  readonly names: string | undefined
}

/** Something that a client may do wrong. Undefined if the resource has nothing to do it with. */
type Mistake = (resource: ReadingResource, tape: Tape, model: ReadingModel) => BrokenQuery | undefined

/** A query of the resource's list that is not valid. */
export function brokenQuery(model: ReadingModel, resource: ReadingResource, tape: Tape): BrokenQuery {
  const found = (tape.of(mistakes) ?? unknownField)(resource, tape, model)
  return found ?? unknownField(resource, tape, model)
}

function unknownField({ key }: ReadingResource, tape: Tape, model: ReadingModel): BrokenQuery {
  const { fields = [] } = model.records.resources.get(key) ?? {}
  const hidden = fields.filter(({ writeOnly }) => writeOnly).map(({ name }) => name)
  const name =
    tape.of(['nope', 'constructor', '__proto__', 'toString', 'ID', 'id.id', 'length', ...hidden, ...hidden]) ?? ''
  const unknown = name.split('.').at(-1)
  switch (tape.upTo(3)) {
    case 0:
      return inBrackets(`filter[${name}]`, 'x', unknown)
    case 1:
      return { text: textOfPairs([['sort', tape.once(2) ? `-${name}` : name]]), names: unknown }
    default:
      // As text: an object literal would take `__proto__` for its prototype.
      return { text: textOfPairs([['filter', `{"${name}":{"null":true}}`]]), names: unknown }
  }
}

const unknownBehindRelation: Mistake = ({ relations }, tape, model) => {
  const relation = tape.of(relations)
  if (relation === undefined) return undefined
  const { key } = readingResourceOf(model, relation.target)
  const { fields = [] } = model.records.resources.get(key) ?? {}
  const hidden = fields.filter(({ writeOnly }) => writeOnly).map(({ name }) => name)
  const name = tape.of([...hidden, 'nope']) ?? 'nope'
  return tape.once(2)
    ? inBrackets(`filter[${relation.name}.${name}][null]`, 'true', name)
    : inJson({ [`${relation.name}.${name}`]: { ne: 1 } }, name)
}

const unknownOperator: Mistake = (resource, tape) => {
  const name = fieldOf(resource, tape)
  const operator = tape.of(['like', 'EQ', 'constructor', 'Null', 'some', 'is']) ?? ''
  return tape.once(2)
    ? inJson({ [name]: { [operator]: 1 } }, operator)
    : inBrackets(`filter[${name}][${operator}]`, '1', operator)
}

const wrongOperator: Mistake = (resource, tape) => {
  const name = fieldOf(resource, tape, ['integer', 'number', 'boolean'])
  const operator = tape.of(['contains', 'startsWith', 'endsWith', 'icontains', 'istartsWith']) ?? ''
  return tape.once(2) ? inJson({ [name]: { [operator]: 'x' } }) : inBrackets(`filter[${name}][${operator}]`, '1')
}

const wrongValue: Mistake = (resource, tape) => {
  const name = fieldOf(resource, tape)
  const type = typeNamed(resource, name)
  const value = tape.of(wrongValues[type]) ?? null
  if (type === 'json' || tape.once(2)) return inJson({ [name]: value }, name)
  const operator = tape.of(['eq', 'ne', 'in', 'nin']) ?? 'eq'
  return inJson({ [name]: { [operator]: operator.endsWith('in') ? [value] : value } }, name)
}

const wrongText: Mistake = (resource, tape) => {
  const name = fieldOf(resource, tape)
  const text = tape.of(wrongTexts[typeNamed(resource, name)])
  if (text === undefined) return undefined
  const operator = tape.of(['', '[ne]', '[in]']) ?? ''
  return inBrackets(`filter[${name}]${operator}`, text, name)
}

const wrongOperand: Mistake = (resource, tape) => {
  const name = fieldOf(resource, tape)
  const operation =
    tape.of<JsonObject>([{ null: 'x' }, { null: 1 }, { in: 'x' }, { nin: {} }, { in: [[]] }, { in: [{}] }]) ?? {}
  return inJson({ [name]: operation })
}

const wrongJson: Mistake = (resource, tape) => {
  const name = fieldOf(resource, tape)
  const text = tape.of(['x', '', '[]', '1', 'null', '"x"', '{', `{"${name}":`, '{}}', "{'id':1}"]) ?? ''
  return { text: textOfPairs([['filter', text]]), names: 'filter' }
}

const wrongGroup: Mistake = (resource, tape) => {
  const name = fieldOf(resource, tape)
  const filter = tape.of<JsonObject>([
    { or: [] },
    { or: {} },
    { and: {} },
    { or: [1] },
    { and: ['x'] },
    { not: [] },
    { not: true },
    { [name]: { some: {} } },
    { [name]: { none: { id: 1 } } },
    { some: {} },
  ])
  return inJson(filter ?? {})
}

const tooDeep: Mistake = (_, tape) => {
  let filter: JsonObject = { id: 1 }
  for (let level = 8 + tape.upTo(500); level > 0; level -= 1) filter = tape.once(2) ? { not: filter } : { or: [filter] }
  return inJson(filter)
}

const tooMany: Mistake = (_, tape) => {
  const conditions = 51 + tape.upTo(20)
  if (tape.once(2)) return inJson({ id: { in: Array.from({ length: 501 }, (_, index) => index + 1) } })
  return inJson({ or: Array.from({ length: conditions }, (_, index) => ({ id: index + 1 })) })
}

const bothSpellings: Mistake = (resource, tape) => {
  const name = fieldOf(resource, tape)
  return {
    text: textOfPairs(
      tape.shuffled<Pair>([
        ['filter', '{}'],
        [`filter[${name}][null]`, 'true'],
      ]),
    ),
    names: 'filter',
  }
}

const repeatedKey: Mistake = (resource, tape) => {
  const name = fieldOf(resource, tape)
  const pair = tape.of<Pair>([
    ['limit', '5'],
    ['offset', '0'],
    ['sort', 'id'],
    ['filter', '{}'],
    [`filter[${name}][null]`, 'true'],
    ['filter[id]', '1'],
    ['filter[id][gte]', '1'],
  ])
  return pair && { text: textOfPairs([pair, pair]), names: pair[0].replace(/\[.*/, '') }
}

const wrongEncoding: Mistake = (_, tape) => {
  const text = tape.of(['?limit=%', '?sort=%zz', '?filter[id%5=1', '?sort=%c3%28', '?%ff=1', '?filter=%e2%82'])
  return text === undefined ? undefined : { text, names: undefined }
}

const unknownKey: Mistake = (resource, tape) => {
  const name = fieldOf(resource, tape)
  const keys = [
    'nope',
    'Limit',
    'filters',
    'where',
    'constructor',
    '__proto__',
    'filter[]',
    'filter[id]x',
    'filter[id',
    'sort[id]',
  ]
  const key = tape.of([...keys, `filter[${name}][eq][eq]`, `filter[id][]`, 'limit[]']) ?? ''
  return { text: textOfPairs([[key, '1']]), names: key.replace(/\[.*/, '') }
}

const wrongPage: Mistake = (_, tape) => {
  const value = tape.of(['-1', '', '1.0', '1e1', ' 1', '+1', '01', 'x', '0x1', 'null']) ?? ''
  const pair = tape.of<Pair>([
    ['limit', value],
    ['offset', value],
    ['limit', '0'],
    ['limit', '101'],
  ])
  return pair && { text: textOfPairs([pair]), names: pair[0] }
}

const wrongSort: Mistake = (resource, tape) => {
  const { relations, fields } = resource
  const many = relations.filter(({ isMany }) => isMany).flatMap(({ name }) => [`${name}.id`, name, `lower(${name})`])
  const single = relations.filter(({ isMany }) => !isMany).map(({ name }) => name)
  const json = fields.filter(({ schema }) => typeOf(schema) === 'json').map(({ name }) => name)
  const field = fieldOf(resource, tape)
  const wrong = [
    '',
    'id,',
    ',id',
    '--id',
    '+id',
    'id desc',
    'lower(id',
    'upper(id)',
    '-',
    'count(id)',
    'lower()',
    'count()',
    '(id)',
  ]
  const key = tape.of([...wrong, ...many, ...single, ...json, `count(${field})`, `id,-${field}x`, `${field}, id`]) ?? ''
  return { text: textOfPairs([['sort', key]]), names: 'sort' }
}

const tooManySortKeys: Mistake = (resource, tape) => {
  const relation = tape.of(resource.relations.filter(({ isMany }) => !isMany))
  const { fields = [] } = relation ? { fields: [`${relation.name}.id`] } : {}
  const names = [
    ...resource.fields.filter(({ schema }) => typeOf(schema) !== 'json').map(({ name }) => name),
    ...fields,
  ]
  return names.length < 5 ? undefined : { text: textOfPairs([['sort', ['id', ...names].join(',')]]), names: 'sort' }
}

const mistakes: readonly Mistake[] = [
  unknownField,
  unknownBehindRelation,
  unknownOperator,
  wrongOperator,
  wrongValue,
  wrongValue,
  wrongText,
  wrongText,
  wrongOperand,
  wrongJson,
  wrongGroup,
  tooDeep,
  tooMany,
  bothSpellings,
  repeatedKey,
  wrongEncoding,
  unknownKey,
  wrongPage,
  wrongSort,
  tooManySortKeys,
]

function inJson(filter: JsonObject, names?: string): BrokenQuery {
  return { text: textOfPairs([['filter', JSON.stringify(filter)]]), names }
}

function inBrackets(key: string, value: string, names?: string): BrokenQuery {
  return { text: textOfPairs([[key, value]]), names }
}

/** A field of one of the types, or any; the id if there is none. */
function fieldOf({ fields }: ReadingResource, tape: Tape, types?: readonly ValueType[]): string {
  const possible = fields.filter(({ schema }) => types === undefined || types.includes(typeOf(schema)))
  return tape.of(possible)?.name ?? 'id'
}

function typeNamed({ fields }: ReadingResource, name: string): ValueType {
  const field = fields.find((one) => one.name === name)
  return field === undefined ? 'id' : typeOf(field.schema)
}
