import { isObject, type Json, type JsonObject } from '../property/json.ts'
import type { Row, State } from '../property/reference-store.ts'
import { compareValues, textOf } from './compare-values.ts'
import { type Folding, fold } from './fold.ts'
import { type Path, type PathValue, readPath } from './paths.ts'
import type { ReadingModel, ReadingResource, Relation } from './reading-model.ts'

/** What is looked at: of a caller, only what the caller sees. */
export interface Sight {
  readonly model: ReadingModel
  readonly state: State
  readonly folding: Folding
  /** SQLite's indexes for searches do not know that `i` is the small letter of `İ`. */
  readonly keepsDottedI?: boolean
}

/**
 * Whether a filter, spelled in JSON, matches a record. A condition is either true or false: without a value it is false,
 * and then `ne`, `nin` and `not` are true.
 *
 * @throws Error if the filter is not valid.
 */
export function matches(sight: Sight, resource: ReadingResource, row: Row, filter: Json): boolean {
  return Object.entries(objectOf(filter)).every(([key, value]) => {
    switch (key) {
      case 'and':
        return someOf(value).every((one) => matches(sight, resource, row, one))
      case 'or':
        return someOf(value).some((one) => matches(sight, resource, row, one))
      case 'not':
        return !matches(sight, resource, row, value)
      default:
        return matchesPath(sight, readPath(sight.model, resource, key), row, value)
    }
  })
}

function matchesPath(sight: Sight, { relations, value, resource }: Path, row: Row, asked: Json): boolean {
  if (value === undefined) return matchesRelated(sight, relations, resource, row, objectOf(asked))
  return someValue(sight, relations, value, row, (found) => matchesValue(sight, value, found, asked))
}

/** Whether one of the values at the end of a path is right. If the last record of a path is not there, its value is null. */
function someValue(
  sight: Sight,
  [first, ...rest]: readonly Relation[],
  value: PathValue,
  row: Row,
  isRight: (value: Json) => boolean,
): boolean {
  if (first === undefined) return isRight(value.of(row))
  const found = first.follow(sight.state, row)
  const endsHere = !first.isMany && found.length === 0 && !rest.some(({ isMany }) => isMany)
  if (endsHere) return isRight(null)
  return found.some((one) => someValue(sight, rest, value, one, isRight))
}

/** `some`, `every` and `none` of a to-many relation, which is the last one of a path. */
function matchesRelated(
  sight: Sight,
  relations: readonly Relation[],
  resource: ReadingResource,
  row: Row,
  asked: JsonObject,
): boolean {
  const last = relations.at(-1)
  if (last?.isMany !== true || relations.slice(0, -1).some(({ isMany }) => isMany)) {
    throw new Error('some, every and none ask for a to-many relation')
  }
  const found = relatedRows(sight, relations, row)
  return Object.entries(notEmpty(asked)).every(([quantifier, filter]) => {
    const isRight = (one: Row): boolean => matches(sight, resource, one, filter)
    switch (quantifier) {
      case 'some':
        return found.some(isRight)
      case 'every':
        return found.every(isRight)
      case 'none':
        return !found.some(isRight)
      default:
        throw new Error(`a relation has no ${quantifier}`)
    }
  })
}

/** The records at the end of relations. */
export function relatedRows(sight: Sight, [first, ...rest]: readonly Relation[], row: Row): Row[] {
  if (first === undefined) return [row]
  return first.follow(sight.state, row).flatMap((one) => relatedRows(sight, rest, one))
}

function matchesValue(sight: Sight, value: PathValue, found: Json, asked: Json): boolean {
  const operators = isObject(asked) ? notEmpty(asked) : { eq: asked }
  return Object.entries(operators).every(([operator, operand]) => holds(sight, value, found, operator, operand))
}

function holds(sight: Sight, value: PathValue, found: Json, operator: string, operand: Json): boolean {
  if (operator === 'null') return (found === null) === operand
  if (operator === 'ne') return !holds(sight, value, found, 'eq', operand)
  if (operator === 'nin') return !holds(sight, value, found, 'in', operand)
  if (operator === 'in') return listOf(operand).some((one) => holds(sight, value, found, 'eq', one))
  if (found === null) return false
  const compared = (): number => compareValues(value.type, found, operand)
  const folded = (one: Json): string => fold(textOf(one), sight.folding)
  switch (operator) {
    case 'eq':
      return compared() === 0
    case 'lt':
      return compared() < 0
    case 'lte':
      return compared() <= 0
    case 'gt':
      return compared() > 0
    case 'gte':
      return compared() >= 0
    case 'contains':
      return textOf(found).includes(textOf(operand))
    case 'startsWith':
      return textOf(found).startsWith(textOf(operand))
    case 'endsWith':
      return textOf(found).endsWith(textOf(operand))
    case 'icontains':
      return folded(found).includes(folded(operand))
    case 'istartsWith':
      return folded(found).startsWith(folded(operand))
    case 'iendsWith':
      return folded(found).endsWith(folded(operand))
    default:
      throw new Error(`there is no operator ${operator}`)
  }
}

function objectOf(value: Json): JsonObject {
  if (!isObject(value)) throw new Error(`${JSON.stringify(value)} is no object`)
  return value
}

function listOf(value: Json): readonly Json[] {
  if (!Array.isArray(value)) throw new Error(`${JSON.stringify(value)} is no array`)
  return value
}

function someOf(value: Json): readonly Json[] {
  const list = listOf(value)
  if (list.length === 0) throw new Error('there is nothing to choose from')
  return list
}

function notEmpty(object: JsonObject): JsonObject {
  if (Object.keys(object).length === 0) throw new Error('there is nothing asked')
  return object
}

/** Whether a record has each word in one of the resource's search fields, in any case. */
export function isFound(sight: Sight, resource: ReadingResource, row: Row, search: string): boolean {
  if (resource.search === undefined) throw new Error(`${resource.key} has no search`)
  const paths = resource.search.filter((path) => isShownPath(sight, resource, path))
  const words = search.split(/\s/).filter((word) => word !== '')
  return words.every((word) =>
    paths.some((path) => {
      const isFolded = matches(sight, resource, row, { [path]: { icontains: word } })
      if (!isFolded || sight.keepsDottedI !== true || !resource.indexed.includes(path) || [...word].length < 3)
        return isFolded
      const keep = (text: string): string => fold(text.replaceAll('İ', '\ue130'), 'simple')
      return keep(textOf(row.values[path] ?? '')).includes(keep(word))
    }),
  )
}

/** Whether the caller sees the field at the end of a path. */
export function isShownPath({ model }: Sight, resource: ReadingResource, path: string): boolean {
  const names = path.split('.')
  const { resource: target } = readPath(model, resource, [...names.slice(0, -1), 'id'].join('.'))
  return target.fields.some(({ name }) => name === names.at(-1))
}
