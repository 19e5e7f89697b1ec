import { CrudError, type Id } from '@fastify-crud/core'
import {
  type Address,
  type Asked,
  forbidden,
  type JsonStore,
  type ListRequest,
  linkedPath,
  type MountLink,
  type Operation,
} from '@fastify-crud/core/internal'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { hiddenResources, withoutHidden } from '../../access/hidden-resources.ts'
import type { Limits } from '../../options.ts'
import { groupsInBody, inBody, listInBody, readAsBody } from '../../query/query-in-body.ts'
import { parameterName } from '../../query/query-string.ts'
import { queryOfGroups, queryOfList, type RequestQuery } from '../../query/request-query.ts'
import { collectionUrl, filledIn, jsonOf } from '../answer.ts'
import { refusalOfMatch, refusalOfWrite } from '../headers/conditions.ts'
import { withEtags } from '../headers/etags-of-rows.ts'
import { sayEtags } from '../headers/prefer.ts'
import { MODEL_HEADER } from '../problems.ts'
import { invalidRequest, pathId } from '../request.ts'
import { composeBegin } from './begin.ts'
import { type Call, type OperationMaker, type RouteOperation, sendRead, takenOut } from './operation.ts'

/** How pages differ. */
interface Page {
  readonly operation: Operation
  /** What its address has behind that of the collection. Default: nothing. */
  readonly suffix?: string
  /** Of the page of records that one is linked to. */
  readonly linked?: MountLink
  /** Whether each record of the page can have the ETag that it has alone. */
  readonly hasEtags?: boolean
  /** Whether the query is the body of the request. */
  readonly isInBody?: boolean
  readQuery(request: FastifyRequest, without: readonly string[], limits: Limits): RequestQuery
  read(store: JsonStore, at: Address, query: RequestQuery, asked: Asked): Promise<string>
}

const LIST: Page = {
  operation: 'list',
  hasEtags: true,
  readQuery: queryOfList,
  read: (store, at, { list }, asked) => store.list(at, list as NonNullable<typeof list>, asked),
}

/** GET of a collection: a page of its records. */
export const getList = pageReader(LIST)

/** GET of a collection's deleted records. */
export const getDeleted = pageReader({ ...LIST, operation: 'deleted', suffix: '/$deleted', hasEtags: false })

const GROUPS: Page = {
  operation: 'list',
  hasEtags: false,
  readQuery: queryOfGroups,
  read: (store, at, { groups }, asked) => store.group(at, groups as NonNullable<typeof groups>, asked),
}

/** GET of a collection's groups. */
export const getGroups = pageReader(GROUPS)

/** POST of the query of a list, or of groups, that is too long for a URL. */
export const listByBody = pageReader({ ...LIST, isInBody: true, readQuery: listInBody })
export const groupByBody = pageReader({ ...GROUPS, isInBody: true, readQuery: groupsInBody })

/** GET of the records that one is linked to. They are a part of the record, which is asked for like a list. */
export function getLinked(linked: MountLink): OperationMaker {
  return pageReader({ ...LIST, operation: 'findOne', linked, hasEtags: false })
}

function pageReader(page: Page): OperationMaker {
  return (...route) => composePage(page, ...route)
}

function composePage(
  { operation, linked, suffix = '', hasEtags = false, isInBody = false, readQuery, read }: Page,
  ...[service, mount, terms]: Parameters<OperationMaker>
): RouteOperation {
  const { limits, prefix, modelHash } = service
  const name = linked?.link.name
  const target = linked?.link.target
  const path = name === undefined ? mount.path : linkedPath(mount.path, name)
  /** The address of the page: of linked records, that behind their record. */
  const pageOf = ({ at, id }: Call): Address =>
    name === undefined ? at : { path: linkedPath(at.path, name), owners: [...at.owners, id as Id] }
  const findHidden = hiddenResources(service, path, target === undefined ? [] : [target])
  const idOf = name === undefined ? undefined : pathId
  const url = collectionUrl(prefix, mount) + (name === undefined ? suffix : `/:id/${encodeURIComponent(name)}`)

  const ask = async ({ access, recordId }: Call) => {
    await access?.check('View', recordId)
    if (operation === 'deleted') await access?.check('Delete', recordId)
  }

  return {
    isRead: true,
    begin: composeBegin(service, mount, terms, { operation, ...(idOf && { idOf }), endsWithClient: () => true }),

    problems: ({ headerProblems }) => headerProblems,
    ask,

    async answer(call) {
      const { requestContext, store, signal, conditions, headerProblems } = call
      await ask(call)
      const query = readQuery(call.request, takenOut(call), limits)
      const at = pageOf(call)
      const request = query.list ?? query.groups ?? {}
      const hidden = await findHidden?.(call, at, request)
      if (target !== undefined && hidden?.has(target)) {
        throw new CrudError(forbidden(`View of ${path.resource.key} is not allowed`, []))
      }
      const asked = { requestContext, signal, ...(hidden && { hidden }) }
      if (headerProblems.length + query.problems.length > 0) {
        const ofModel = store.queryProblems(at, request, asked)
        const { body } = call.request
        throw invalidRequest([...headerProblems, ...query.problems, ...(isInBody ? inBody(ofModel, body) : ofModel)])
      }
      const readPage = () => read(store, at, query, asked)
      const page = await (isInBody ? readAsBody(call.request.body, readPage) : readPage())
      // A page has no ETag.
      const refusal = (isInBody ? refusalOfWrite : refusalOfMatch)(conditions, { exists: true, tag: undefined })
      if (refusal !== undefined) throw new CrudError(refusal)
      const shown = hidden === undefined ? page : withoutHidden(path.resource, page, hidden)
      if (!hasEtags || !asksForEtags(call, request)) return shown
      sayEtags(call.reply)
      return withEtags(shown)
    },

    send(reply, call, answer) {
      const json = jsonOf(answer)
      const next =
        json === undefined || isInBody ? undefined : nextLink(filledIn(url, call.request), call.request.url, json)
      if (next !== undefined) addLink(reply, next)
      if (modelHash !== undefined) reply.header(MODEL_HEADER, modelHash)
      return sendRead(reply, call, json, undefined)
    },
  }
}

/** Whether the client wants the ETags of records, and these are whole. */
function asksForEtags({ preferences }: Call, { fields, include, nested }: ReadRequest): boolean {
  return preferences.etags && fields === undefined && include === undefined && nested === undefined
}

type ReadRequest = Pick<ListRequest, 'fields' | 'include' | 'nested'>

/** Beside those of the application. */
function addLink(reply: FastifyReply, link: string): void {
  const present = reply.getHeader('link')
  reply.header('link', present === undefined ? link : [present, link].flat().join(', '))
}

/** What the cursor stands behind in a page that has another one behind it. */
const NEXT = ',"next":"'

const CURSOR = /^[\w-]+$/

/**
 * The `Link` header (RFC 8288) of a list's answer: the path and query of the next page, which is that of the request
 * but for its place in the list. Undefined for the last page.
 */
function nextLink(path: string, url: string, json: string): string | undefined {
  const cursor = cursorIn(json)
  if (cursor === undefined) return undefined
  const start = url.indexOf('?')
  const parts = start === -1 ? [] : url.slice(start + 1).split('&')
  const kept = parts.filter((part) => part !== '' && !PLACE.includes(parameterName(part) ?? ''))
  const query = [...kept, `after=${cursor}`].join('&')
  return `<${path}?${inLink(query)}>; rel="next"`
}

/** A string of JSON holds no quotation mark but behind a backslash, so what is found at the end is the page's own. */
function cursorIn(json: string): string | undefined {
  if (!json.endsWith(END)) return undefined
  const at = json.lastIndexOf(NEXT)
  const cursor = json.slice(at + NEXT.length, -END.length)
  return at !== -1 && CURSOR.test(cursor) ? cursor : undefined
}

const END = '"}'

const PLACE: readonly string[] = ['after', 'offset']

/** As the client spelled it, but for what would end the link. */
function inLink(query: string): string {
  return query.replaceAll(/[^!#-;=?-~]/g, encodeURIComponent)
}
