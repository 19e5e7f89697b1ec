import { isObject, type Json, type JsonObject } from '../property/json.ts'
import { madeOf } from '../property/random-fields.ts'
import { rowsOf } from '../property/reference-store.ts'
import type { Tape } from '../property/tape.ts'
import { matches, type Sight } from './filter-rows.ts'
import { type Path, readPath } from './paths.ts'
import { type ReadingResource, readingResourceOf } from './reading-model.ts'
import { propertyOf, typeOf, type ValueType } from './value-types.ts'

/** What filters are made of: what there is to choose from, and the choices. */
export interface FilterMaker {
  readonly sight: Sight
  readonly tape: Tape
}

/** The outermost object is the first level. */
const LEVELS = 5
const LONGEST_PATH = 3

const COMPARISONS = ['eq', 'ne', 'lt', 'lte', 'gt', 'gte', 'in', 'nin', 'null']
const TEXT_OPERATORS = ['contains', 'startsWith', 'endsWith', 'icontains', 'istartsWith', 'iendsWith']

/** The operators of values of a type. */
export function operatorsOf(type: ValueType): readonly string[] {
  if (type === 'string') return [...COMPARISONS, ...TEXT_OPERATORS]
  return type === 'boolean' ? ['eq', 'ne', 'in', 'nin', 'null'] : COMPARISONS
}

/** A valid filter that some of a resource's records match, unless that is hard to find. */
export function tellingFilter(maker: FilterMaker, resource: ReadingResource): JsonObject {
  const rows = [...rowsOf(maker.sight.state, resource.key).values()]
  let filter = randomFilter(maker, resource)
  for (let tries = 0; tries < 3 && !rows.some((row) => matches(maker.sight, resource, row, filter)); tries += 1) {
    filter = randomFilter(maker, resource)
  }
  return filter
}

/** A valid filter of a resource's records. */
export function randomFilter(maker: FilterMaker, resource: ReadingResource, level = 1): JsonObject {
  const { tape } = maker
  const filter: JsonObject = {}
  const count = 1 + (tape.once(3) ? 1 + tape.upTo(2) : 0)
  for (let made = 0; made < count; made += 1) Object.assign(filter, randomEntry(maker, resource, level))
  return filter
}

function randomEntry(maker: FilterMaker, resource: ReadingResource, level: number): JsonObject {
  const { tape } = maker
  const inner = (of: ReadingResource): JsonObject => {
    return tape.once(12) ? {} : randomFilter(maker, of, level + 1)
  }
  if (level >= LEVELS || tape.upTo(5) < 3) return randomCondition(maker, resource)
  switch (tape.upTo(5)) {
    case 0:
      return { not: inner(resource) }
    case 1:
    case 2:
      return { [tape.once(3) ? 'and' : 'or']: Array.from({ length: 1 + tape.upTo(3) }, () => inner(resource)) }
    default: {
      const path = randomToMany(maker, resource)
      if (path === undefined) return randomCondition(maker, resource)
      const quantifier = tape.of(['some', 'none', 'every']) ?? 'some'
      return { [path.text]: { [quantifier]: inner(path.resource) } }
    }
  }
}

/** A to-many relation, perhaps of a record that a to-one relation leads to. */
export function randomToMany(
  { sight, tape }: FilterMaker,
  start: ReadingResource,
): { readonly text: string; readonly resource: ReadingResource } | undefined {
  const single = tape.once(4) ? tape.of(start.relations.filter(({ isMany }) => !isMany)) : undefined
  const from = single === undefined ? start : readingResourceOf(sight.model, single.target)
  const many = tape.of(from.relations.filter(({ isMany }) => isMany))
  if (many === undefined) return undefined
  const text = single === undefined ? many.name : `${single.name}.${many.name}`
  return { text, resource: readingResourceOf(sight.model, many.target) }
}

function randomCondition(maker: FilterMaker, resource: ReadingResource): JsonObject {
  const { sight, tape } = maker
  const text = randomPath(maker, resource, () => true)
  const path = readPath(sight.model, resource, text)
  if (path.value === undefined) throw new Error(`${text} leads to no value`)
  const first = randomOperation(maker, path)
  const eq = first.eq ?? null
  if (eq !== null && tape.once(2)) return { [text]: eq }
  // Of a to-many path, two operators could be read as two conditions.
  const second = path.isToMany || !tape.once(5) ? {} : randomOperation(maker, path)
  return { [text]: { ...second, ...first } }
}

/** A path to a value through relations of that kind, or none. */
export function randomPath(
  { sight, tape }: FilterMaker,
  start: ReadingResource,
  isGood: (relation: ReadingResource['relations'][number]) => boolean,
): string {
  const names: string[] = []
  let resource = start
  for (let steps = tape.of([0, 0, 0, 1, 1, 2, LONGEST_PATH]) ?? 0; steps > 0; steps -= 1) {
    const relation = tape.of(resource.relations.filter(isGood))
    if (relation === undefined) break
    names.push(relation.name)
    resource = readingResourceOf(sight.model, relation.target)
  }
  return [...names, tape.of(valuesAt(resource)) ?? 'id'].join('.')
}

/** The names of a record's values that are compared, those inside of JSON included. Its id is one of them, but not often chosen. */
function valuesAt({ fields, foreignKeys }: ReadingResource): string[] {
  const found = fields.flatMap(({ name, schema }): string[] => {
    if (typeOf(schema) !== 'json') return [name, name, name]
    return ['x', 'y', 'deep.on'].flatMap((inside) => {
      const end = inside
        .split('.')
        .reduce<typeof schema | undefined>((one, part) => one && propertyOf(one, part), schema)
      return end === undefined ? [] : [`${name}.${inside}`]
    })
  })
  return [...found, ...foreignKeys, 'id']
}

function randomOperation(maker: FilterMaker, path: Path): JsonObject {
  const { tape } = maker
  const type = path.value?.type ?? 'id'
  const operator = tape.of(operatorsOf(type)) ?? 'eq'
  if (operator === 'null') return { null: tape.once(2) }
  const one = (): Json => randomOperand(maker, path)
  if (operator === 'in' || operator === 'nin') return { [operator]: Array.from({ length: tape.upTo(4) }, one) }
  const value = one()
  return { [operator]: TEXT_OPERATORS.includes(operator) ? partOf(tape, String(value), operator) : value }
}

/** A value that is stored there, or one like those. */
function randomOperand({ sight, tape }: FilterMaker, { resource, value }: Path): Json {
  const rows = rowsOf(sight.state, resource.key)
  if (value === undefined || value.type === 'id') return tape.once(6) ? 9007199254740991 : 1 + tape.upTo(62)
  const stored = [...rows.values()].map((row) => value.of(row)).filter((one) => one !== null)
  const found = tape.once(3) ? undefined : tape.of(stored)
  return found ?? tape.of(possibleValues(resource, value)) ?? defaultOf(value.type)
}

function possibleValues({ fields }: ReadingResource, value: NonNullable<Path['value']>): Json[] {
  const field = fields.find(({ schema }) => schema === value.schema)
  if (field !== undefined) return [...madeOf(field.schema).kind.values]
  // Inside of JSON.
  const whole = fields.flatMap(({ schema }) => (typeOf(schema) === 'json' ? madeOf(schema).kind.values : []))
  const all = whole.flatMap((one) => (isObject(one) ? Object.values(one) : []))
  return all.filter((one) => typeof one === (value.type === 'string' ? 'string' : value.type))
}

function defaultOf(type: ValueType): Json {
  return type === 'boolean' ? true : type === 'number' ? 0 : 'a'
}

/** The beginning, the end or the middle of a text, sometimes in another case. */
function partOf(tape: Tape, text: string, operator: string): string {
  const letters = [...text]
  const length = tape.upTo(Math.min(letters.length, 4) + 1)
  const last = letters.length - length
  const start = operator.endsWith('artsWith') ? 0 : operator === 'endsWith' ? last : tape.upTo(last + 1)
  const part = letters.slice(start, start + length).join('')
  if (!tape.once(3)) return part
  return tape.once(2) ? part.toUpperCase() : part.toLowerCase()
}
