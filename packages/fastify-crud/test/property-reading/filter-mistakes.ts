import type { JsonObject } from '../property/json.ts'
import { fieldOf, inBrackets, inJson, type Mistake, typeNamed } from './mistake.ts'
import { textOfPairs } from './query-text.ts'
import { wrongIds, wrongIdTexts, wrongTexts, wrongValues } from './wrong-values.ts'

const unknownOperator: Mistake = (resource, tape) => {
  const name = fieldOf(resource, tape)
  const operator = tape.of(['like', 'EQ', 'constructor', 'Null', 'some', 'is']) ?? ''
  return tape.once(2)
    ? inJson({ [name]: { [operator]: 1 } }, operator)
    : inBrackets(`filter[${name}][${operator}]`, '1', operator)
}

const wrongOperator: Mistake = (resource, tape) => {
  const name = fieldOf(resource, tape, ['integer', 'number', 'boolean'])
  const operator = tape.of(['contains', 'startsWith', 'endsWith', 'icontains', 'istartsWith', 'iendsWith']) ?? ''
  return tape.once(2) ? inJson({ [name]: { [operator]: 'x' } }) : inBrackets(`filter[${name}][${operator}]`, '1')
}

const wrongValue: Mistake = (resource, tape, { idsOf }) => {
  const name = fieldOf(resource, tape)
  const type = typeNamed(resource, name)
  const value = tape.of(type === 'id' ? wrongIds(idsOf(resource.key)) : wrongValues[type]) ?? null
  if (type === 'json' || tape.once(2)) return inJson({ [name]: value }, name)
  const operator = tape.of(['eq', 'ne', 'in', 'nin']) ?? 'eq'
  return inJson({ [name]: { [operator]: operator.endsWith('in') ? [value] : value } }, name)
}

const wrongText: Mistake = (resource, tape, { idsOf }) => {
  const name = fieldOf(resource, tape)
  const type = typeNamed(resource, name)
  const text = tape.of(type === 'id' ? wrongIdTexts(idsOf(resource.key)) : wrongTexts[type])
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

/** What a filter may have wrong, besides names. */
export const filterMistakes: readonly Mistake[] = [
  unknownOperator,
  wrongOperator,
  wrongValue,
  wrongText,
  wrongOperand,
  wrongJson,
  wrongGroup,
  tooDeep,
  tooMany,
  wrongValue,
  wrongText,
]
