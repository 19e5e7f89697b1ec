import { isToMany, type Resource } from '../model/model.ts'
import { MOST_KEYS } from '../reading/read-sort.ts'
import { relationsOf } from '../reading/scope.ts'
import { type RefTo, safeName } from './component-id.ts'
import type { Components } from './components.ts'
import { type Compared, DESCRIBED } from './filter-schema.ts'
import { closedObject, type JsonSchema } from './json-schema.ts'
import type { Parameter } from './openapi-document.ts'

/** How many records an answer has. */
export interface PageLimits {
  /** Of a list, where the query does not say. */
  readonly defaultPage: number
  /** Of a list, at most. */
  readonly maxPage: number
  /** Of an array in a record, where the query says how many: at most. */
  readonly maxNested: number
}

/** What the parameters of queries are made of. */
export interface QueryContext {
  readonly limits: PageLimits
  readonly refTo: RefTo
  readonly comparedIn: (resource: Resource) => readonly Compared[]
  readonly parameters: Components<JsonSchema>
  /** The schemas that are of no resource. */
  readonly schemas: Components<JsonSchema>
}

/** The query of a list. */
export function listParameters(resource: Resource, context: QueryContext): Parameter[] {
  const { limits, parameters, refTo, comparedIn } = context
  return [
    parameters.ref('limit', () => limitParameter(limits)),
    parameters.ref('offset', () => OFFSET),
    parameters.ref('after', () => AFTER),
    parameters.ref('count', () => COUNT),
    parameters.ref('sort', () => SORT),
    // In place, as most resources have one list.
    { name: 'filter', in: 'query', content: { 'application/json': { schema: refTo(resource, 'filter') } } },
    // One for all fields of a name and a type, whatever their resource.
    ...comparedIn(resource).map((compared) =>
      parameters.ref(`filter.${safeName(compared.name)}.${compared.type}`, () =>
        inBrackets(`filter[${compared.name}]`, compared.schema, compared.name === 'id' ? ABOUT_BRACKETS : undefined),
      ),
    ),
    ...contentParameters(resource, context),
  ]
}

/** What a list and a single record are asked for. */
export function contentParameters(resource: Resource, { limits, parameters, schemas }: QueryContext): Parameter[] {
  const arrays = relationsOf(resource, DESCRIBED).filter(isToMany)
  const nested = () => ({ ...schemas.ref('nested', () => nestedSchema(limits)) })
  return [
    parameters.ref('fields', () => FIELDS),
    parameters.ref('include', () => INCLUDE),
    ...arrays.map(({ name }) =>
      parameters.ref(`nested.${safeName(name)}`, () => inBrackets(`nested[${name}]`, nested())),
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
    'The `next` of the page before, to go on behind it. The filter and the sort stay as they are, and there is no `offset`.',
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

const COMMA_SEPARATED = { style: 'form', explode: false } as const

// Without examples, as the headers are.
const SORT: JsonSchema = {
  name: 'sort',
  in: 'query',
  description:
    'The order of the records, by the first key, then by the next: a field, a foreign key or `id`, a path such as `publisher.name`, `lower(title)`, or `count(tags)`. A `-` before it has the highest first. Records without a value come last. Default: by `id`.',
  ...COMMA_SEPARATED,
  schema: { type: 'array', items: { type: 'string', pattern: '^-?[^,]+$' }, minItems: 1, maxItems: MOST_KEYS },
}

const FIELDS: JsonSchema = {
  name: 'fields',
  in: 'query',
  description:
    'All that each record has, besides its id: fields, foreign keys, related records, paths such as `publisher.name`, and `count(tags)`.',
  ...COMMA_SEPARATED,
  schema: { type: 'array', items: { type: 'string', pattern: '^[^,]+$' }, minItems: 1, uniqueItems: true },
}

const INCLUDE: JsonSchema = {
  name: 'include',
  in: 'query',
  description:
    'Relations that each record has besides what it carries by itself, such as `books` or `books.tags`. With `-` before it, one that it does not have.',
  ...COMMA_SEPARATED,
  schema: { type: 'array', items: { type: 'string', pattern: '^-?[^,]+$' }, minItems: 1, uniqueItems: true },
}

/** Which records an array has: `nested[books][limit]=5`. */
function nestedSchema({ maxNested }: PageLimits): JsonSchema {
  const properties = {
    limit: { type: 'integer', minimum: 1, maximum: maxNested },
    sort: { type: 'string', description: 'As in the `sort` of a list.' },
    filter: { type: 'string', contentMediaType: 'application/json', description: 'A filter in JSON.' },
  }
  return { description: 'Which records the array has.', ...closedObject(properties, []), minProperties: 1 }
}

/** `filter[price]=5`, or `filter[price][gte]=5` for each property of the schema. */
function inBrackets(name: string, schema: JsonSchema, description?: string): JsonSchema {
  return { name, in: 'query', ...(description && { description }), style: 'deepObject', explode: true, schema }
}

// Said once, in the first of them. API references show it with each schema otherwise.
const ABOUT_BRACKETS =
  'Like each `filter[…]`: the value that it equals, or with an operator, `filter[id][gte]=5`. All of them must hold. `in` and `nin` stand once for each value.'
