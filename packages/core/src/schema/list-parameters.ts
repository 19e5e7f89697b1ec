import type { Resource } from '../model/model.ts'
import { MOST_KEYS } from '../reading/read-sort.ts'
import { type RefTo, safeName } from './component-id.ts'
import type { Components } from './components.ts'
import type { Compared } from './filter-schema.ts'
import type { JsonSchema } from './json-schema.ts'
import type { Parameter } from './openapi-document.ts'

/** How many records a list returns. */
export interface PageLimits {
  /** Where the query does not say. */
  readonly defaultPage: number
  /** At most. */
  readonly maxPage: number
}

/** What the parameters of lists are made of. */
export interface ListContext {
  readonly limits: PageLimits
  readonly refTo: RefTo
  readonly comparedIn: (resource: Resource) => readonly Compared[]
  readonly parameters: Components<JsonSchema>
}

/** The query of a list. */
export function listParameters(resource: Resource, context: ListContext): Parameter[] {
  const { limits, parameters, refTo, comparedIn } = context
  return [
    parameters.ref('limit', () => limitParameter(limits)),
    parameters.ref('offset', () => OFFSET),
    parameters.ref('sort', () => SORT),
    // In place, as most resources have one list.
    { name: 'filter', in: 'query', content: { 'application/json': { schema: refTo(resource, 'filter') } } },
    // One for all fields of a name and a type, whatever their resource.
    ...comparedIn(resource).map((compared) =>
      parameters.ref(`filter.${safeName(compared.name)}.${compared.type}`, () => bracketsParameter(compared)),
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

const SORT: JsonSchema = {
  name: 'sort',
  in: 'query',
  description:
    'The order of the records, by the first key, then by the next: a field, a foreign key or `id`, a path such as `publisher.name`, `lower(title)`, or `count(tags)`. A `-` before it has the highest first. Records without a value come last. Default: by `id`.',
  style: 'form',
  explode: false,
  schema: { type: 'array', items: { type: 'string', pattern: '^-?[^,]+$' }, minItems: 1, maxItems: MOST_KEYS },
  example: ['-id'],
}

/** `filter[price]=5`, and `filter[price][gte]=5` for each operator. */
function bracketsParameter({ name, schema }: Compared): JsonSchema {
  return { name: `filter[${name}]`, in: 'query', style: 'deepObject', explode: true, schema }
}
