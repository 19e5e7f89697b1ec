import {
  isToMany,
  type JsonSchema,
  MOST_GROUP_KEYS,
  MOST_GROUP_VALUES,
  MOST_KEYS,
  OPERATORS,
  type Operator,
  type Resource,
  relationsOf,
} from '@fastify-crud/core/internal'
import { type RefTo, safeName } from '../components/component-id.ts'
import type { Components, Parameter, Ref } from '../components/openapi-document.ts'
import { DESCRIBED_OPERATORS, type FilterOperators, type PageLimits } from '../openapi-options.ts'
import { type Compared, DESCRIBED, operatorSchema } from '../schemas/filter-schema.ts'
import { closedObject } from '../schemas/partial-schema.ts'

/** What the parameters of queries are made of. */
export interface ParameterContext {
  readonly limits: PageLimits
  readonly refTo: RefTo
  readonly comparedIn: (resource: Resource, isOfDeleted?: boolean) => readonly Compared[]
  readonly parameters: Components<JsonSchema>
  /** The operators that have parameters. */
  readonly filters: FilterOperators
  /** Whether clients can ask for a part of a record. */
  readonly partial: boolean
}

/** The query of a list. */
export function listParameters(resource: Resource, context: ParameterContext, isOfDeleted = false): Parameter[] {
  const { limits, parameters, refTo, comparedIn } = context
  return [
    parameters.ref('limit', () => limitParameter(limits)),
    // Generators of infinite lists take the first parameter that could page.
    parameters.ref('after', () => AFTER),
    parameters.ref('offset', () => OFFSET),
    parameters.ref('count', () => COUNT),
    isOfDeleted ? parameters.ref('deletedSort', () => DELETED_SORT) : parameters.ref('sort', () => SORT),
    jsonFilter(refTo(resource, isOfDeleted ? 'deletedFilter' : 'filter')),
    ...(resource.search === undefined ? [] : [parameters.ref('search', () => SEARCH)]),
    ...filterParameters(comparedIn(resource, isOfDeleted), context.filters, parameters),
    ...contentParameters(resource, context),
  ]
}

/** The query of a write of all records that match. */
export function matchingParameters(resource: Resource, context: ParameterContext): Parameter[] {
  const { filters, parameters, refTo, comparedIn } = context
  return [jsonFilter(refTo(resource, 'filter')), ...filterParameters(comparedIn(resource), filters, parameters)]
}

/** The query of groups. */
export function groupParameters(resource: Resource, context: ParameterContext): Parameter[] {
  const { limits, parameters } = context
  return [
    parameters.ref('by', () => BY),
    parameters.ref('values', () => VALUES),
    parameters.ref('having', () => HAVING),
    parameters.ref('timeZone', () => TIME_ZONE),
    parameters.ref('groupSort', () => GROUP_SORT),
    parameters.ref('limit', () => limitParameter(limits)),
    parameters.ref('offset', () => OFFSET),
    parameters.ref('count', () => COUNT),
    ...matchingParameters(resource, context),
  ]
}

/** The query of a list as a body. */
export function longListBody(resource: Resource, { limits, refTo, partial }: ParameterContext): JsonSchema {
  const contents = partial ? { fields: NAMES, include: NAMES, nested: { type: 'object' } } : {}
  return closedObject(
    {
      ...pageMembers(limits, refTo(resource, 'filter')),
      after: schemaOf(AFTER),
      ...(resource.search !== undefined && { search: schemaOf(SEARCH) }),
      ...contents,
    },
    [],
  )
}

/** The query of groups as a body. */
export function longGroupBody(resource: Resource, { limits, refTo }: ParameterContext): JsonSchema {
  const ofGroups = { by: NAMES, values: NAMES, having: { type: 'object' }, timeZone: schemaOf(TIME_ZONE) }
  return closedObject({ ...pageMembers(limits, refTo(resource, 'filter')), ...ofGroups }, [])
}

function pageMembers(limits: PageLimits, filter: JsonSchema): Record<string, JsonSchema> {
  const limit = schemaOf(limitParameter(limits))
  return { filter, sort: NAMES, limit, offset: schemaOf(OFFSET), count: schemaOf(COUNT) }
}

function schemaOf({ schema }: JsonSchema): JsonSchema {
  return schema as JsonSchema
}

const NAMES: JsonSchema = { type: 'array', items: { type: 'string' } }

/** What a list and a single record are asked for. */
export function contentParameters(
  resource: Resource,
  { limits, parameters, partial, filters }: ParameterContext,
): Parameter[] {
  if (!partial) return []
  const arrays = relationsOf(resource, DESCRIBED).filter(isToMany)
  const options = filters === 'few' ? [] : Object.entries(nestedOptions(limits))
  return [
    parameters.ref('fields', () => FIELDS),
    parameters.ref('include', () => INCLUDE),
    ...arrays.flatMap(({ name }) =>
      options.map(([option, schema]) =>
        parameters.ref(`nested.${safeName(name)}.${option}`, () => ({
          name: `nested[${name}][${option}]`,
          in: 'query',
          schema,
        })),
      ),
    ),
  ]
}

function limitParameter({ defaultPage, maxPage }: PageLimits): JsonSchema {
  return {
    name: 'limit',
    in: 'query',
    description: 'How many records to return at most.',
    schema: { type: 'integer', minimum: 1, maximum: maxPage, default: defaultPage },
  }
}

const OFFSET: JsonSchema = {
  name: 'offset',
  in: 'query',
  description: 'How many records to skip before the first.',
  schema: { type: 'integer', minimum: 0, default: 0 },
}

const AFTER: JsonSchema = {
  name: 'after',
  in: 'query',
  description:
    'The `next` of the previous page. The filter, the search and the sort must be the same, without `offset`.',
  schema: { type: 'string' },
}

const COUNT: JsonSchema = {
  name: 'count',
  in: 'query',
  description:
    'How records are counted: `exact`, `none`, or up to a number. Default: as the service is set, and `none` with `after`.',
  schema: {
    anyOf: [
      { type: 'string', enum: ['exact', 'none'] },
      { type: 'integer', minimum: 1 },
    ],
  },
}

const SEARCH: JsonSchema = {
  name: 'search',
  in: 'query',
  description:
    'Words, at most 8. Each must occur in one of the texts that the service searches, whatever the case of its letters.',
  schema: { type: 'string', pattern: '\\S' },
}

/**
 * A text, and no array: most generated clients repeat the name for each item of an array, or write `sort[]`, whatever
 * the style of the parameter. That is right for the values of `in`, and nowhere else.
 */
function commaSeparated(item: string, more = '*'): JsonSchema {
  return { type: 'string', pattern: `^${item}(,${item})${more}$` }
}

const ABOUT_SORT =
  'The order of the records, by the first key, then by the next, joined by commas: a field, a foreign key or `id`, a path such as `publisher.name`, `lower(title)`, or `count(tags)`. A `-` before it has the highest first. Records without a value come last.'

// Without examples, as the headers are.
const SORT: JsonSchema = {
  name: 'sort',
  in: 'query',
  description: `${ABOUT_SORT} Default: by \`id\`.`,
  schema: commaSeparated('-?[^,]+', `{0,${MOST_KEYS - 1}}`),
}

const DELETED_SORT: JsonSchema = { ...SORT, description: `${ABOUT_SORT} Default: what was deleted last comes first.` }

const BY: JsonSchema = {
  name: 'by',
  in: 'query',
  description:
    'What the records of a group have in common, joined by commas: fields, foreign keys, paths such as `publisher.name`, and `year(…)`, `quarter(…)`, `month(…)`, `week(…)` (of ISO 8601) or `day(…)` of a date or moment. Default: nothing, so there is one group of all.',
  schema: commaSeparated('[^,]+', `{0,${MOST_GROUP_KEYS - 1}}`),
}

const VALUES: JsonSchema = {
  name: 'values',
  in: 'query',
  description:
    'What is computed over the records of a group, joined by commas: `count()`, and `count(…)`, `countDistinct(…)`, `sum(…)`, `avg(…)`, `min(…)`, `max(…)` of a value. Default: `count()`.',
  schema: commaSeparated('[^,]+', `{0,${MOST_GROUP_VALUES - 1}}`),
}

const HAVING: JsonSchema = {
  name: 'having',
  in: 'query',
  description: 'Which groups to return: a filter over the names in `values`, such as `{"count()":{"gte":2}}`.',
  schema: { type: 'string', contentMediaType: 'application/json' },
}

const TIME_ZONE: JsonSchema = {
  name: 'timeZone',
  in: 'query',
  description: 'The zone in which moments have a year, a month and a day, such as `Europe/Vienna`. Default: UTC.',
  schema: { type: 'string' },
}

const GROUP_SORT: JsonSchema = {
  name: 'sort',
  in: 'query',
  description:
    'The order of the groups: names in `by` and `values`, joined by commas. A `-` before it has the highest first. Default: by `by`.',
  schema: commaSeparated('-?[^,]+', `{0,${MOST_KEYS - 1}}`),
}

/** Of a PUT to a list. */
export const UNIQUE_KEY: JsonSchema = {
  name: 'by',
  in: 'query',
  description:
    'The names of a unique key, joined by commas: each body names its record by its values of this key. A record that is not there is created (201).',
  schema: commaSeparated('[^,]+'),
}

const FIELDS: JsonSchema = {
  name: 'fields',
  in: 'query',
  description:
    'The properties of each record besides its id, joined by commas: fields, foreign keys, related records, paths such as `publisher.name`, and `count(tags)`.',
  schema: commaSeparated('[^,]+'),
}

const INCLUDE: JsonSchema = {
  name: 'include',
  in: 'query',
  description:
    'Relations to add to each record, joined by commas, such as `books` or `books.tags`. With `-` before it, a relation to leave out.',
  schema: commaSeparated('-?[^,]+'),
}

/** Which records an array has: `nested[books][limit]=5`. */
function nestedOptions({ maxNested }: PageLimits): Readonly<Record<string, JsonSchema>> {
  return {
    limit: { type: 'integer', minimum: 1, maximum: maxNested },
    sort: { type: 'string' },
    filter: { type: 'string', contentMediaType: 'application/json' },
  }
}

/** In place, as most resources have one list. A text, as most generated clients cannot send JSON in a query by
 * themselves. */
function jsonFilter(filter: JsonSchema): Parameter {
  const schema = { type: 'string', contentMediaType: 'application/json', contentSchema: filter }
  return { name: 'filter', in: 'query', schema }
}

/**
 * A parameter for each operator of a value: `filter[price]` is `eq`, `filter[price][gte]` another one. All that have a
 * name and a type share them, whatever their resource. A list of values is an array that repeats the name.
 */
function filterParameters(
  compared: readonly Compared[],
  which: FilterOperators,
  parameters: Components<JsonSchema>,
): Ref[] {
  const wanted: readonly Operator[] = DESCRIBED_OPERATORS[which]
  return compared.flatMap(({ name, type, value, operators }) => {
    // To ask for records by several ids is common, to ask for several values of a field is not.
    const isLeftOut = (operator: Operator) => which === 'few' && operator === 'in' && name !== 'id'
    const described = wanted.filter((operator) => operators.includes(operator) && !isLeftOut(operator))
    return described.map((operator) => {
      const isEqual = operator === 'eq'
      const id = ['filter', safeName(name), ...(isEqual ? [] : [operator])].join('.')
      const parameter = {
        name: isEqual ? `filter[${name}]` : `filter[${name}][${operator}]`,
        in: 'query',
        ...(isEqual && name === 'id' && { description: ABOUT_BRACKETS }),
        ...(OPERATORS[operator].comparator === 'in' && REPEATED),
        schema: operatorSchema(operator, value),
      }
      const ref = parameters.ref(id, () => parameter)
      // Fields of one name have other types elsewhere.
      return isSame(parameters.made[parameters.idOf(id)], parameter)
        ? ref
        : parameters.ref(`${id}.${type}`, () => parameter)
    })
  })
}

function isSame(one: JsonSchema | undefined, other: JsonSchema): boolean {
  return JSON.stringify(one?.schema) === JSON.stringify(other.schema)
}

const REPEATED = { style: 'form', explode: true } as const

// Said once, in the first of them. API references show it with each parameter otherwise.
const ABOUT_BRACKETS =
  'Filters in brackets: `filter[price]=5` is a value, `filter[price][gte]=5` an operator, and `filter[price][in]` is repeated for each of its values. All of them hold for each record of the answer.'
