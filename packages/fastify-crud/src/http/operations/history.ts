import { CrudError, type HistoryOptions, type Id, type Problem } from '@fastify-crud/core'
import type { Asked, Resource } from '@fastify-crud/core/internal'
import type { FastifyRequest } from 'fastify'
import { hiddenResources, withoutHidden } from '../../access/hidden-resources.ts'
import { readQueryString, repeatedNames } from '../../query/query-string.ts'
import { queryOfMoment } from '../../query/request-query.ts'
import { jsonOf } from '../answer.ts'
import { refusalOfMatch } from '../headers/conditions.ts'
import { invalidRequest, pathId } from '../request.ts'
import { composeBegin } from './begin.ts'
import { type Call, type OperationMaker, type RouteOperation, sendRead, takenOut } from './operation.ts'
import { writer } from './write.ts'
import { unlessEmpty } from './writes.ts'

/** GET of the writes that have touched a record. */
export const getHistory = historyReader(({ store, at, id, request }, asked, without) =>
  store.history(at, id as Id, historyOptions(request, without), asked),
)

/** GET of one of them. */
export const getHistoryEntry = historyReader(({ store, at, id, request }, asked, without) => {
  const [unknown] = parametersOf(request, without)
  if (unknown !== undefined) throw invalidRequest([{ parameter: unknown[0], ...NO_PARAMETERS }])
  return store.historyEntry(at, id as Id, writeIn(request), asked)
})

/** GET of a record as it was. */
export const getRecordAt = historyReader(async ({ store, at, id, request }, asked, without, hidden) => {
  const { at: moment, record, problems } = queryOfMoment(request.url, without)
  if (problems.length > 0) throw invalidRequest(problems)
  const json = await store.findAt(at, id as Id, { at: moment, ...record }, asked)
  return hidden === undefined ? json : withoutHidden(at.path.resource, json, hidden)
})

const NO_PARAMETERS = { message: 'is not known: one write is asked for as it is', keyword: 'additionalProperties' }

type ReadHistory = (
  call: Call,
  asked: Asked,
  without: readonly string[],
  hidden: ReadonlySet<Resource> | undefined,
) => Promise<string>

function historyReader(read: ReadHistory): OperationMaker {
  return (service, mount, terms): RouteOperation => {
    const all = [...service.stores.model.resources.values()]
    const findHidden = hiddenResources(service, mount.path, all)
    const ask = async ({ access, recordId }: Call) => await access?.check('View', recordId)
    return {
      isRead: true,
      begin: composeBegin(service, mount, terms, { operation: 'history', idOf: pathId, endsWithClient: () => true }),

      problems: ({ headerProblems }) => headerProblems,
      ask,

      async answer(call) {
        const { access, recordId, requestContext, signal, conditions, headerProblems } = call
        await ask(call)
        if (headerProblems.length > 0) throw invalidRequest(headerProblems)
        const refusal = refusalOfMatch(conditions, { exists: true, tag: undefined })
        if (refusal !== undefined) throw new CrudError(refusal)
        const hidden = await findHidden?.(call, call.at, undefined)
        const hides = (resource: Resource) => hidden?.has(resource) === true
        const checkGone = access && (() => access.check('Delete', recordId))
        const asked = { requestContext, signal, effects: { areAnswer: false, hides }, checkGone }
        return await read(call, asked, takenOut(call), hidden)
      },

      send: (reply, call, answer) => sendRead(reply, call, jsonOf(answer), undefined),
    }
  }
}

/** POST to a write of the history: it is undone. */
export const undoWrite = writer({
  operation: 'undo',
  idOf: pathId,
  bodyProblems: ({ request }) => problemsOfUndoBody(request),
  async run({ store, at, id, request }, _query, asked) {
    const problems = problemsOfUndoBody(request)
    if (problems.length > 0) throw invalidRequest(problems)
    return await store.undo(at, id as Id, writeIn(request), asked)
  },
})

function problemsOfUndoBody({ body }: FastifyRequest): readonly Problem[] {
  return unlessEmpty(body, 'a write is undone as a whole')
}

function writeIn({ params }: FastifyRequest): string {
  return (params as { readonly write: string }).write
}

/** The parameters of a history, as the store takes them. It says what is wrong with them. */
function historyOptions(request: FastifyRequest, without: readonly string[]): HistoryOptions {
  const options: Record<string, unknown> = {}
  const filter: Record<string, unknown> = {}
  const at: Record<string, string> = {}
  for (const [name, value] of parametersOf(request, without)) {
    const [, key, moment] = /^filter\[(\w+)\](?:\[(\w+)\])?$/.exec(name) ?? []
    if (key === 'at' && moment !== undefined) at[moment] = value
    else if (key === 'operation' && moment === undefined) filter.operation = value.split(',')
    else if (key === 'by' && moment === undefined) filter.by = jsonOrText(value)
    else if (key !== undefined) filter[moment === undefined ? key : `${key}.${moment}`] = value
    else if (name === 'filter') throw invalidRequest([NO_JSON])
    else options[name] = name === 'limit' ? Number(value) : value
  }
  if (Object.keys(at).length > 0) filter.at = at
  if (Object.keys(filter).length > 0) options.filter = filter
  return options
}

const NO_JSON = {
  parameter: 'filter',
  message: 'filter: has a parameter for each of its names here: filter[operation], filter[by], filter[at][gte]',
  keyword: 'additionalProperties',
}

/** Fails if a name is there twice, or is malformed. */
function parametersOf({ url }: FastifyRequest, without: readonly string[]): readonly (readonly [string, string])[] {
  const problems: Problem[] = []
  const all = readQueryString(url, problems).filter(([name]) => !without.includes(name))
  problems.push(...repeatedNames(all, () => false))
  if (problems.length > 0) throw invalidRequest(problems)
  return all
}

function jsonOrText(value: string): unknown {
  try {
    return JSON.parse(value)
  } catch {
    return value
  }
}
