import {
  type KnownModel,
  type KnownResource,
  modelOf,
  pathOfCollection,
  pathOfRecord,
  type RecordPlace,
  resourceIn,
} from '../model.ts'
import { unlessRefused } from '../service.ts'
import { cut, ID, inputOf, NAMES, OWNERS, READS, RESOURCE, type Tool } from './tool.ts'

export const describe: Tool<{ readonly resource?: string }> = {
  name: 'describe',
  title: 'Describe the service',
  description:
    'Says what there is: all resources, or one with its paths, fields (JSON Schema), relations, operations and actions. Ask for a resource before you write it.',
  input: inputOf({ resource: RESOURCE }),
  annotations: READS,
  async run({ resource }, { call, options }) {
    const model = await modelOf(call)
    if (resource !== undefined) return cut(JSON.stringify(inShort(resourceIn(model, resource))), options.maxAnswer)
    const lines = Object.entries(model.resources).map(([name, { description, paths, operations, actions = {} }]) => {
      const offered = Object.keys(operations).filter((one) => operations[one])
      const usual = offered.filter((one) => USUAL.includes(one))
      const only = usual.length === USUAL.length ? [] : [`only ${usual.join(', ')}`]
      const verbs = Object.keys(actions).map((one) => `action ${one}`)
      const about = description === undefined ? '' : ` (${description})`
      const more = [...only, ...offered.filter((one) => one === 'history'), ...verbs]
      return `${name}${about}: ${[paths.join(', '), ...more].join('; ')}`
    })
    return cut([`Each has ${USUAL.join(', ')}, unless it says "only".`, ...lines].join('\n'), options.maxAnswer)
  },
}

/** What most resources offer, by the names of `$model`: said once. */
const USUAL = ['list', 'findOne', 'create', 'replace', 'patch', 'delete']

/** A resource as an agent needs it: without what only programs look at, and with fields in one level. */
function inShort({ fields, relations, operations, id, ...resource }: KnownResource): object {
  const required = Object.keys(fields).filter((name) => fields[name]?.required === true)
  const flat = Object.entries(fields).map(([name, { schema, required: _, ...field }]) => {
    const { examples, ...values } = Object(schema)
    // An example says what a pattern means; beside a type alone it says nothing.
    return [name, { ...values, ...(values.pattern !== undefined && examples !== undefined && { examples }), ...field }]
  })
  const related = Object.entries(relations).map(([name, { inverse: _, path: __, ...relation }]) => [name, relation])
  const { writable: _, groups: __, topLevel: ___, description, paths, ...others } = resource
  return {
    description,
    paths,
    id: id?.schema,
    required,
    fields: Object.fromEntries(flat),
    relations: Object.fromEntries(related),
    ...others,
    operations: Object.keys(operations).filter((name) => operations[name] && name !== 'changes'),
  }
}

interface Chosen extends RecordPlace {
  readonly fields?: readonly string[]
  readonly include?: readonly string[]
}

interface ListInput extends Chosen {
  readonly filter?: object
  readonly search?: string
  readonly sort?: readonly string[]
  readonly limit?: number
  readonly after?: string
  readonly count?: boolean
}

const FIELDS = { ...NAMES, description: 'Only these fields, beside the id.' }
const INCLUDE = { ...NAMES, description: 'Relations to show, also of related records: ["author", "author.books"].' }
const FILTER = {
  type: 'object',
  description:
    'Conditions: { "price": { "lte": 10 }, "publisher.name": "Ink", "or": [{ … }, { … }] }. Operators: eq, ne, lt, lte, gt, gte, in, contains, startsWith, null.',
}
const SORT = { ...NAMES, description: 'Names to sort by, the largest first behind a minus: ["-price", "title"].' }

export const list: Tool<ListInput> = {
  name: 'list',
  title: 'List records',
  description:
    'Lists records, filtered and sorted, page by page: `after` takes the `next` of the page before. Records have their own fields: `include` shows related ones, and `get` all. An answer that would be too long has fewer properties, or fewer records.',
  input: inputOf(
    {
      resource: RESOURCE,
      owners: OWNERS,
      filter: FILTER,
      search: { type: 'string', description: 'Texts that the resource is searched for.' },
      sort: SORT,
      limit: { type: 'integer', minimum: 1 },
      after: { type: 'string', description: 'The `next` of the page before.' },
      count: { type: 'boolean', description: 'Whether to count all records that match. Default: false.' },
      fields: FIELDS,
      include: INCLUDE,
    },
    'resource',
  ),
  annotations: READS,
  async run(input, { call, options }) {
    const model = await modelOf(call)
    const { resource, owners, count = false, limit = model.limits.defaultPage, ...query } = input
    const path = `${pathOfCollection(model, { resource, ...(owners && { owners }) })}/$list`
    const own = resourceIn(model, resource).defaultInclude.length > 0 ? { fields: plainFields(model, input) } : {}
    const read = async (most: number, chosen: Partial<Chosen>) => {
      const body = { ...own, ...query, ...chosen, limit: most, ...(!count && { count: 'none' }) }
      return unlessRefused(await call('POST', path, body)).text
    }
    return await fitting(options.maxAnswer, limit, plainFields(model, input), read)
  },
}

interface GetInput extends Chosen {
  readonly id: string | number
  readonly at?: string
}

export const get: Tool<GetInput> = {
  name: 'get',
  title: 'Get a record',
  description: 'Reads one record with what it owns. An answer that would be too long has its fields only.',
  input: inputOf(
    {
      resource: RESOURCE,
      owners: OWNERS,
      id: ID,
      fields: FIELDS,
      include: INCLUDE,
      at: {
        type: 'string',
        description: 'A moment, as `history` has it: the record as it was then, without `fields` and `include`.',
      },
    },
    'resource',
    'id',
  ),
  annotations: READS,
  async run(input, { call, options }) {
    const model = await modelOf(call)
    const path = pathOfRecord(model, input, input.id)
    const { at } = input
    const read = async (_most: number, { fields = input.fields, include = input.include }: Partial<Chosen>) => {
      const names = Object.entries({ fields, include, at }).filter(([, value]) => value !== undefined)
      const query = new URLSearchParams(names.map(([name, value]): [string, string] => [name, String(value)]))
      return unlessRefused(await call('GET', `${path}${names.length === 0 ? '' : `?${query}`}`)).text
    }
    return await fitting(options.maxAnswer, 1, at === undefined ? plainFields(model, input) : undefined, read)
  },
}

interface HistoryInput extends RecordPlace {
  readonly id: string | number
  readonly limit?: number
  readonly after?: string
  readonly operations?: readonly string[]
}

export const history: Tool<HistoryInput> = {
  name: 'history',
  title: 'Read the history of a record',
  description:
    'Lists the writes that have changed a record or what it owns, the newest first: when, who, and what each has changed. `undo` of `preview` takes the id of a `write`.',
  input: inputOf(
    {
      resource: RESOURCE,
      owners: OWNERS,
      id: ID,
      limit: { type: 'integer', minimum: 1 },
      after: { type: 'string', description: 'The `next` of the page before.' },
      operations: { ...NAMES, description: 'Only these: ["patch", "delete"].' },
    },
    'resource',
    'id',
  ),
  annotations: READS,
  async run(input, { call, options }) {
    const model = await modelOf(call)
    const { limit = 10, after, operations } = input
    const path = `${pathOfRecord(model, input, input.id)}/$history`
    const read = async (most: number) => {
      const query = new URLSearchParams({ limit: String(most), ...(after !== undefined && { after }) })
      if (operations !== undefined) query.set('filter[operation]', operations.join(','))
      return unlessRefused(await call('GET', `${path}?${query}`)).text
    }
    return await fitting(options.maxAnswer, limit, undefined, read)
  },
}

interface GroupInput extends RecordPlace {
  readonly by?: readonly string[]
  readonly values?: readonly string[]
  readonly filter?: object
  readonly having?: object
  readonly sort?: readonly string[]
  readonly limit?: number
}

export const group: Tool<GroupInput> = {
  name: 'group',
  title: 'Group records',
  description:
    'Counts and adds up records by groups: { "by": ["publisher.name"], "values": ["count()", "sum(price)"] }.',
  input: inputOf(
    {
      resource: RESOURCE,
      owners: OWNERS,
      by: NAMES,
      values: NAMES,
      filter: FILTER,
      having: { type: 'object', description: 'Conditions on the values: { "count()": { "gt": 3 } }.' },
      sort: SORT,
      limit: { type: 'integer', minimum: 1 },
    },
    'resource',
  ),
  annotations: READS,
  async run({ resource, owners, ...query }, { call, options }) {
    const model = await modelOf(call)
    const path = `${pathOfCollection(model, { resource, ...(owners && { owners }) })}/$group`
    const read = async (most: number) => unlessRefused(await call('POST', path, { ...query, limit: most })).text
    return await fitting(options.maxAnswer, query.limit ?? model.limits.defaultPage, undefined, read)
  },
}

/** The names of a record's own fields and foreign keys; undefined where an answer already has only some. */
function plainFields(model: KnownModel, { resource, fields }: Chosen): readonly string[] | undefined {
  if (fields !== undefined) return undefined
  const { fields: own, relations } = resourceIn(model, resource)
  const keys = Object.values(relations).flatMap(({ foreignKey }) => foreignKey ?? [])
  return [...Object.keys(own).filter((name) => own[name]?.writeOnly !== true), ...keys]
}

/** Reads so that the answer fits: without relations if need be, then fewer records at once. */
async function fitting(
  most: number,
  limit: number,
  fields: readonly string[] | undefined,
  read: (limit: number, chosen: Partial<Chosen>) => Promise<string>,
): Promise<string> {
  const fits = (text: string) => Buffer.byteLength(text) <= most
  const whole = await read(limit, {})
  if (fits(whole)) return whole
  const chosen = fields === undefined ? {} : { fields, include: [] }
  let text = fields === undefined ? whole : await read(limit, chosen)
  for (let fewer = limit; !fits(text) && fewer > 1; ) {
    fewer = Math.max(1, Math.floor((fewer * most * 0.9) / Buffer.byteLength(text)))
    text = await read(fewer, chosen)
  }
  const note = 'the answer was too long, so it has fewer properties or records: choose `fields`'
  return cut(`${note}\n${text}`, most)
}
