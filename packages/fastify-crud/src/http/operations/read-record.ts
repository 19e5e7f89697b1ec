import { CrudError, type Id } from '@fastify-crud/core'
import { etagOf } from '@fastify-crud/core/internal'
import type { FastifyRequest } from 'fastify'
import { hiddenResources, withoutHidden } from '../../access/hidden-resources.ts'
import { NO_QUERY, queryOfRecord } from '../../query/request-query.ts'
import { jsonOf } from '../answer.ts'
import { refusalOfMatch } from '../headers/conditions.ts'
import { invalidRequest, pathId } from '../request.ts'
import { composeBegin } from './begin.ts'
import { type Call, type OperationMaker, type RouteOperation, sendRead, takenOut } from './operation.ts'

/** GET of one record, or of what a query chooses of it. */
export const getRecord: OperationMaker = (...route) => composeRead('findOne', ...route)

/** GET of one deleted record. */
export const getDeletedRecord: OperationMaker = (...route) => composeRead('deleted', ...route)

function composeRead(
  operation: 'findOne' | 'deleted',
  ...[service, mount, terms]: Parameters<OperationMaker>
): RouteOperation {
  const { resource } = mount.path
  const findHidden = hiddenResources(service, mount.path, [])
  const ask = async ({ access, recordId }: Call) => {
    await access?.check('View', recordId)
    if (operation === 'deleted') await access?.check('Delete', recordId)
  }
  return {
    isRead: true,
    begin: composeBegin(service, mount, terms, { operation, idOf: pathId, endsWithClient: hasQuestionMark }),

    problems: ({ headerProblems }) => headerProblems,
    ask,

    async answer(call) {
      const { request, requestContext, store, at, id, signal, conditions, headerProblems } = call
      await ask(call)
      const { record, problems } = hasQuestionMark(request) ? queryOfRecord(request.url, takenOut(call)) : NO_QUERY
      const hidden = await findHidden?.(call, at, record)
      const asked = { requestContext, signal, ...(hidden && { hidden }) }
      if (headerProblems.length + problems.length > 0) {
        const ofModel = record === undefined ? [] : store.queryProblems(at, record, asked)
        throw invalidRequest([...headerProblems, ...problems, ...ofModel])
      }
      const json = await store.find(at, id as Id, record, asked)
      const shown = hidden === undefined ? json : withoutHidden(resource, json, hidden)
      if (conditions.ifMatch !== undefined) {
        const refusal = refusalOfMatch(conditions, { exists: true, tag: tagOfRead(request, shown) })
        if (refusal !== undefined) throw new CrudError(refusal)
      }
      return shown
    },

    send(reply, call, answer, isChanged) {
      const json = jsonOf(answer)
      return sendRead(reply, call, json, json === undefined || isChanged ? undefined : tagOfRead(call.request, json))
    },
  }
}

function hasQuestionMark({ url }: FastifyRequest): boolean {
  return url.includes('?')
}

/** Weak with a query, as such an answer may be a part of the record. */
function tagOfRead({ query }: FastifyRequest, json: string): string {
  for (const _ in query as object) return `W/${etagOf(json)}`
  return etagOf(json)
}
