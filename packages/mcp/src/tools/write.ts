import type { HTTPMethods } from 'fastify'
import type { Effects } from 'fastify-crud'
import { inWords } from '../effects.ts'
import { type KnownModel, modelOf, pathOfCollection, pathOfRecord, type RecordPlace, resourceIn } from '../model.ts'
import { type CallAnswer, ToolError, unlessRefused } from '../service.ts'
import { cut, ID, inputOf, OWNERS, READS, RESOURCE, type Tool, type Tools, WRITES } from './tool.ts'

/** Any write, as tools are told of it. */
interface WriteInput extends RecordPlace {
  readonly operation: Operation
  readonly id?: string | number
  readonly body?: unknown
  readonly action?: string
  readonly write?: string
  readonly filter?: object
  readonly most?: number
}

type Operation = 'create' | 'replace' | 'patch' | 'delete' | 'restore' | 'undo' | 'act'

const WRITE = {
  resource: RESOURCE,
  owners: OWNERS,
  operation: {
    enum: ['create', 'replace', 'patch', 'delete', 'restore', 'undo', 'act'],
    description:
      'create: a new record of `body`. replace: the record becomes `body`, and what it leaves out goes. patch: changes what `body` names. delete. restore: a deleted record. undo: a write of the history. act: an action of the application.',
  },
  id: ID,
  body: { description: 'The record, or the part of it; or the body of an action.' },
  action: { type: 'string', description: 'The name of the action.' },
  write: { type: 'string', description: 'Of undo: the id of the write, as `history` has it.' },
  filter: { type: 'object', description: 'In place of `id`, for patch and delete: all records that match.' },
  most: { type: 'integer', minimum: 1, description: 'With `filter`: the most records that may be changed.' },
}

export const preview: Tool<WriteInput> = {
  name: 'preview',
  title: 'Preview a write',
  description:
    'Says what a write or an action would do, to related records, too, and changes nothing. Show it to the person, then call `confirm` with the same arguments and the `tag`.',
  input: inputOf(WRITE, 'resource', 'operation'),
  annotations: READS,
  async run(input, tools) {
    const answer = unlessRefused(await send(input, tools, { prefer: 'tx=rollback, return=effects' }))
    const { changes } = answer.body as Effects
    const words = `${JSON.stringify({ tag: answer.headers['effects-tag'] })}\n${inWords({ changes })}`
    const rows = rowsOf(changes)
    const both = `${words}\n\n${JSON.stringify(rows)}`
    const { maxAnswer } = tools.options
    return rows.length > 0 && Buffer.byteLength(both) <= maxAnswer ? both : cut(words, maxAnswer)
  },
}

export const confirm: Tool<WriteInput & { readonly tag: string }> = {
  name: 'confirm',
  title: 'Do what was previewed',
  description:
    'Does a write that was previewed, if it still does exactly what the preview said. If not, it changes nothing, and says what it would do now.',
  input: inputOf(
    { ...WRITE, tag: { type: 'string', description: 'The `tag` of the preview.' } },
    'resource',
    'operation',
    'tag',
  ),
  annotations: WRITES,
  async run({ tag, ...input }, tools) {
    const answer = await send(input, tools, { prefer: 'return=effects', 'effects-match': tag })
    const now = (answer.body as { readonly effects?: Effects } | undefined)?.effects
    if (answer.status === PRECONDITION && now !== undefined)
      throw new ToolError(
        cut(
          `nothing was done, as it would do something else by now. Preview it again:\n${inWords(now)}`,
          tools.options.maxAnswer,
        ),
      )
    const { body } = unlessRefused(answer)
    const { write } = body as Effects
    // The preview had them as data.
    return cut(`${JSON.stringify({ done: true, write })}\n${inWords(body as Effects)}`, tools.options.maxAnswer)
  },
}

const PRECONDITION = 412

/** The changes of records as data: words cut long values, and say nothing of what goes. Of links they say all. */
function rowsOf(changes: Effects['changes']): object[] {
  const rows = changes.filter((change) => !('relation' in change))
  return rows.map(({ pointer: _, because: __, cause: ___, ...row }) => row)
}

async function send(
  input: WriteInput,
  { call }: Tools,
  headers: Readonly<Record<string, string>>,
): Promise<CallAnswer> {
  const model = await modelOf(call)
  const { method, path, body } = requestOf(model, input)
  const most = input.filter === undefined ? '' : `, max-affected=${input.most ?? 1}`
  return await call(method, path, body, { ...headers, prefer: `${headers.prefer}${most}` })
}

interface ServiceRequest {
  readonly method: HTTPMethods
  readonly path: string
  readonly body?: unknown
}

/** The request to the service that a write is. */
function requestOf(model: KnownModel, input: WriteInput): ServiceRequest {
  const { operation, id, body, filter, action, write } = input
  const ofRecord = () => {
    if (id === undefined) throw new ToolError(`id: ${operation} is about one record`)
    return pathOfRecord(model, input, id)
  }
  switch (operation) {
    case 'create':
      return {
        method: 'POST',
        path: id === undefined ? pathOfCollection(model, input) : ofRecord(),
        body: bodyOf(body, operation),
      }
    case 'replace':
      return { method: 'PUT', path: ofRecord(), body: bodyOf(body, operation) }
    case 'patch':
    case 'delete': {
      const method = operation === 'patch' ? 'PATCH' : 'DELETE'
      const given = operation === 'patch' ? { body: bodyOf(body, operation) } : {}
      if (filter === undefined) return { method, path: ofRecord(), ...given }
      const query = new URLSearchParams({ filter: JSON.stringify(filter) })
      return { method, path: `${pathOfCollection(model, input)}?${query}`, ...given }
    }
    case 'restore':
      return { method: 'POST', path: `${ofRecord()}/$restore` }
    case 'undo':
      if (write === undefined) throw new ToolError('write: undo needs the id of a write, as `history` has it')
      return { method: 'POST', path: `${ofRecord()}/$history/${encodeURIComponent(write)}/$undo` }
    case 'act': {
      const { actions = {} } = resourceIn(model, input.resource)
      const known = action !== undefined && Object.hasOwn(actions, action) ? actions[action] : undefined
      if (known === undefined) {
        const names = Object.keys(actions)
        const there = names.length === 0 ? 'it has none' : `there are ${names.join(', ')}`
        throw new ToolError(`action: name an action of ${input.resource}; ${there}`)
      }
      if (known.method === 'GET') throw new ToolError(`${action} changes nothing, so there is nothing to preview`)
      const base = known.on === 'list' ? pathOfCollection(model, input) : ofRecord()
      return { method: 'POST', path: `${base}/$act/${action}`, ...(body !== undefined && { body }) }
    }
  }
}

function bodyOf(body: unknown, operation: Operation): unknown {
  if (body !== undefined) return body
  throw new ToolError(`body: ${operation} needs one`)
}
