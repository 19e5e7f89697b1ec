import { fieldOf, type Mistake } from './mistake.ts'
import { type Pair, textOfPairs } from './query-text.ts'
import { typeOf } from './value-types.ts'

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

/** What else may be wrong in a query. */
export const queryMistakes: readonly Mistake[] = [
  bothSpellings,
  repeatedKey,
  wrongEncoding,
  unknownKey,
  wrongPage,
  wrongSort,
  tooManySortKeys,
]
