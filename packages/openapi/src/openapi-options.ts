import { OPERATORS, type Operation, type Operator } from '@fastify-crud/core/internal'
import { checkIdPrefix } from './components/component-id.ts'
import {
  METHODS,
  type Method,
  type OpenApiInfo,
  type OpenApiResponse,
  type OpenApiServer,
  type OpenApiTag,
  type SecurityRequirement,
} from './components/openapi-document.ts'

/** Which operators of filters have parameters: hardly any, those that most clients need, or all. */
export type FilterOperators = keyof typeof DESCRIBED_OPERATORS

export const DESCRIBED_OPERATORS = {
  few: ['eq', 'in'],
  common: ['eq', 'gte', 'lte', 'in', 'icontains', 'has'],
  all: Object.keys(OPERATORS) as Operator[],
} as const satisfies Readonly<Record<string, readonly Operator[]>>

export const FILTER_OPERATORS = Object.keys(DESCRIBED_OPERATORS) as readonly FilterOperators[]

/** How many records an answer has. */
export interface PageLimits {
  /** Of a list, where the query does not say. */
  readonly defaultPage: number
  /** Of a list, at most. */
  readonly maxPage: number
  /** Of an array in a record, where the query says how many: at most. */
  readonly maxNested: number
}

export const DEFAULT_INFO: OpenApiInfo = { title: 'API', version: '1.0.0' }

/** What the model does not say about a service, and its document has to. */
export interface OpenApiOptions {
  /** Default: the title `API` and the version `1.0.0`. */
  readonly info?: OpenApiInfo
  /** Where the service is. The paths of the document follow the URL of a server. */
  readonly servers?: readonly OpenApiServer[]
  /** More tags, or other descriptions. Default: a tag for each resource, with the resource's description. */
  readonly tags?: readonly OpenApiTag[]
  /** What requests have to carry, by name of a security scheme. `[]` says that the service is open to everybody. */
  readonly security?: readonly SecurityRequirement[]
  readonly securitySchemes?: Readonly<Record<string, object>>
  /** Statuses that the application adds, such as the 401 and the 429 of its hooks. A text is the description. */
  readonly responses?: Readonly<Record<number, string | AddedResponse>>
  /**
   * Stands before the name of each component and operation: letters, digits, `.`, `_` and `-`. It keeps the names of
   * several models in one document apart. Default: nothing.
   */
  readonly idPrefix?: string
  /** Whether access can be denied. Default true; of the plugin: whether it has `authorize` or `session`. */
  readonly guarded?: boolean
  /** The operations to describe, and the actions. Default: all. */
  readonly describes?: (resource: string, operation: Operation | (string & {})) => boolean
  /** Whether HEAD is described beside GET. Default: with up to 100 resources. */
  readonly head?: boolean
  /**
   * Which operators of filters are parameters. `'few'`: `eq`, `in` of `id`, and no `nested`. `'common'`: `eq`, `gte`,
   * `lte`, `in`, `icontains`. A filter in JSON can have all, whatever this is. Default: `'common'`, and `'few'` with
   * more than 100 resources.
   */
  readonly filters?: FilterOperators
  /** Whether the addresses of links are described, such as `/api/book/{id}/tags/{tag_id}`. Default: with up to 100
   * resources. */
  readonly links?: boolean
  /** Whether schemas have examples. Default: with up to 100 resources. */
  readonly examples?: boolean
  /**
   * Whether the document has `fields`, `include`, `nested` and `at`, and with them answers that are a part of a record.
   * Without them, types that are made of it have all properties of a record. Default true.
   */
  readonly partial?: boolean
  /**
   * Which writes of many records are described; the service takes all of them. `'lists'`: PATCH and DELETE of a list.
   * `'all'`: arrays in POST and PUT as well, and unique values in place of ids; then the types of their bodies and
   * answers are of one record or several. Default: `'lists'`, and `'none'` with more than 100 resources.
   */
  readonly bulk?: DescribedBulk
}

/** The writes of many records that a document can describe. */
export const DESCRIBED_BULK = ['none', 'lists', 'all'] as const
export type DescribedBulk = (typeof DESCRIBED_BULK)[number]

/** A status that the application adds to those of this library. */
export interface AddedResponse extends OpenApiResponse {
  /** The methods that can answer it. Default: all. */
  readonly methods?: readonly Uppercase<Method>[]
}

/** What the plugin knows of its service, and `openApiOf` has to be told. */
export interface ServiceOptions {
  /** The path that all routes start with. Default `/api`. */
  readonly prefix?: string
  /** The pages of lists: by default 20 records, at most 100. Arrays in records, where a query bounds them: at most
   * 1,000. */
  readonly limits?: Partial<PageLimits>
  /**
   * The service has policies: `hiding` are the keys of the resources of which they hide records from some callers.
   * Default: it has none.
   */
  readonly policies?: { readonly hiding: readonly string[] }
  /** The verbs of the application: see `defineActions`. Default: none. */
  readonly actions?: object
  /** Whether the service describes itself at `/$model`. Default true; of the plugin: its option `describe`. */
  readonly describesItself?: boolean
  /** The most requests of a batch, where the service has `/$batch`. Default: there are none; of the plugin: its option
   * `batch`. */
  readonly batch?: number
  /** Whether the service tells of changes as they happen. Default: it does not; of the plugin: its option `changes`. */
  readonly changes?: boolean
  /**
   * Whether the service has a method of a path, as the document writes that: `/api/book/{id}`. Default: it has all that
   * the model says; of the plugin: without what would go past a handler of the application's.
   */
  readonly hasRoute?: (path: string, method: Exclude<Method, 'head'>) => boolean
}

/**
 * @throws {TypeError} for an option that does not exist or cannot be part of a document; `option` is where they are.
 */
export function checkOpenApiOptions(options: OpenApiOptions, known: readonly string[], option: string): void {
  for (const name of Object.keys(options)) {
    if (!known.includes(name))
      throw new TypeError(`${option}.${name}: there is no such option; there are ${known.join(', ')}`)
  }
  const { info, idPrefix = '', responses = {}, security = [], securitySchemes = {} } = options
  checkIdPrefix(idPrefix, `${option}.idPrefix`)
  checkChoices(options, option)
  if (info !== undefined && (typeof info.title !== 'string' || typeof info.version !== 'string')) {
    throw new TypeError(`${option}.info: must have a title and a version`)
  }
  for (const [status, response] of Object.entries(responses))
    checkResponse(`${option}.responses.${status}`, status, response)
  for (const scheme of security.flatMap((requirement) => Object.keys(requirement))) {
    if (!Object.hasOwn(securitySchemes, scheme)) {
      throw new TypeError(`${option}.security: there is no '${scheme}' among the securitySchemes`)
    }
  }
}

function checkChoices(options: OpenApiOptions, option: string): void {
  for (const name of ['guarded', 'head', 'links', 'examples', 'partial'] as const) {
    const given: unknown = options[name]
    if (given !== undefined && typeof given !== 'boolean')
      throw new TypeError(`${option}.${name}: must be true or false`)
  }
  const { filters = 'common', bulk = 'lists', describes } = options
  if (!DESCRIBED_BULK.includes(bulk)) {
    throw new TypeError(`${option}.bulk: there is no '${bulk}'; there are ${DESCRIBED_BULK.join(', ')}`)
  }
  if (!FILTER_OPERATORS.includes(filters)) {
    throw new TypeError(`${option}.filters: there is no '${filters}'; there are ${FILTER_OPERATORS.join(', ')}`)
  }
  if (describes !== undefined && typeof describes !== 'function') {
    throw new TypeError(`${option}.describes: must be a function`)
  }
}

function checkResponse(option: string, status: string, response: string | AddedResponse): void {
  if (!/^[1-5][0-9][0-9]$/.test(status)) throw new TypeError(`${option}: must be an HTTP status, such as 401`)
  if (typeof response === 'string') return
  if (typeof response?.description !== 'string') throw new TypeError(`${option}.description: must be a text`)
  for (const method of response.methods ?? []) {
    if (!METHODS.some((known) => known.toUpperCase() === method)) {
      throw new TypeError(`${option}.methods: there is no ${method}; there are ${METHODS.join(', ').toUpperCase()}`)
    }
  }
}

/** A document of more resources than this is smaller by default: tools take long with some megabytes. */
export const MOST_IN_FULL = 100

/** How much a document says, where the options do not. */
export function defaultsFor(
  resources: number,
): Required<Pick<OpenApiOptions, 'head' | 'filters' | 'links' | 'examples' | 'bulk'>> {
  return resources > MOST_IN_FULL
    ? { head: false, filters: 'few', links: false, examples: false, bulk: 'none' }
    : { head: true, filters: 'common', links: true, examples: true, bulk: 'lists' }
}

export const OPENAPI_OPTIONS: readonly string[] = [
  'info',
  'servers',
  'tags',
  'security',
  'securitySchemes',
  'responses',
  'idPrefix',
  'guarded',
  'describes',
  'head',
  'filters',
  'links',
  'examples',
  'partial',
  'bulk',
]
export const SERVICE_OPTIONS: readonly string[] = [
  'prefix',
  'limits',
  'policies',
  'actions',
  'describesItself',
  'batch',
  'changes',
  'hasRoute',
]
