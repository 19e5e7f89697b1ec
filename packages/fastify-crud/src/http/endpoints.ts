import {
  type CheckedAction,
  keepsHistory,
  type Mount,
  type MountLink,
  type Operation,
} from '@fastify-crud/core/internal'
import type { FastifyRequest } from 'fastify'
import { getHistory, getHistoryEntry, getRecordAt, undoWrite } from './operations/history.ts'
import type { OperationMaker } from './operations/operation.ts'
import { getDeleted, getGroups, getLinked, getList, groupByBody, listByBody } from './operations/read-page.ts'
import { getDeletedRecord, getRecord } from './operations/read-record.ts'
import {
  changeLink,
  createAt,
  createRecord,
  deleteRecord,
  patchRecord,
  purgeRecord,
  replaceNamed,
  replaceRecord,
  restoreRecord,
} from './operations/writes.ts'
import {
  createMany,
  deleteMatching,
  patchMany,
  patchMatching,
  replaceMany,
  upsertMany,
  upsertRecord,
} from './operations/writes-of-many.ts'

/** The collection itself, one of its records, groups of them, deleted ones, what a record is linked to, an action. */
export type Suffix =
  | ''
  | '/:id'
  | '/$list'
  | '/$group'
  | '/$deleted'
  | '/$deleted/:id'
  | `/:id/${string}`
  | `/$act/${string}`

/** A method of a path, and what its requests may be for. */
export interface Endpoint {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly operation: Operation
  /** The operation to which it is another way. It is not there where an application has replaced that one. Default:
   * as {@link OTHER_WAY_TO} says. */
  readonly otherWayTo?: Operation
  /** What the path of the collection goes on with. */
  readonly suffix: Suffix
  /** The link that it is about; absent where it is about records. */
  readonly linked?: MountLink
  /** The ways of its requests: the first that takes a request does what it asks for. */
  readonly ways: readonly Way[]
}

/** Requests for one endpoint may be for one record or for many. */
export interface Way {
  /** Absent: it takes all requests. */
  readonly takes?: (request: FastifyRequest) => boolean
  /** The name by which a handler of the application's says that it takes such requests, too. */
  readonly name?: 'array' | 'filter' | 'by' | 'at'
  readonly make: OperationMaker
}

/** The operations that are another way to one that an application may have replaced. They are not there then. */
export const OTHER_WAY_TO: Readonly<Partial<Record<Operation, Operation>>> = {
  deleted: 'list',
  restore: 'create',
  purge: 'delete',
  history: 'findOne',
  undo: 'replace',
}

const isArray = ({ body }: FastifyRequest) => Array.isArray(body)
const hasMoment = ({ query }: FastifyRequest) => Object.hasOwn(query as object, 'at')
const hasKey = ({ query }: FastifyRequest) => Object.hasOwn(query as object, 'by')

const LIST: Endpoint = {
  method: 'GET',
  operation: 'list',
  suffix: '',
  ways: [{ make: getList }],
}

/** A list whose query is too long for a URL. */
const LONG_LIST: Endpoint = {
  ...LIST,
  method: 'POST',
  otherWayTo: 'list',
  suffix: '/$list',
  ways: [{ make: listByBody }],
}

/** Of a resource that has groups. */
const GROUPS: Endpoint = { ...LIST, otherWayTo: 'list', suffix: '/$group', ways: [{ make: getGroups }] }

const LONG_GROUPS: Endpoint = { ...LONG_LIST, suffix: '/$group', ways: [{ make: groupByBody }] }

const DELETED: Endpoint = {
  ...LIST,
  operation: 'deleted',
  suffix: '/$deleted',
  ways: [{ make: getDeleted }],
}

/** Of a resource whose deleted records callers see. */
const TRASH: readonly (readonly Endpoint[])[] = [
  [DELETED],
  [
    { ...DELETED, otherWayTo: 'findOne', suffix: '/$deleted/:id', ways: [{ make: getDeletedRecord }] },
    {
      method: 'DELETE',
      operation: 'purge',
      suffix: '/$deleted/:id',
      ways: [{ make: purgeRecord }],
    },
  ],
  [
    {
      method: 'POST',
      operation: 'restore',
      suffix: '/:id/$restore',
      ways: [{ make: restoreRecord }],
    },
  ],
]

const OF_COLLECTION: readonly Endpoint[] = [
  LIST,
  {
    method: 'POST',
    operation: 'create',
    suffix: '',
    ways: [{ takes: isArray, name: 'array', make: createMany }, { make: createRecord }],
  },
  {
    method: 'PUT',
    operation: 'replace',
    suffix: '',
    ways: [
      { takes: (request) => hasKey(request) && isArray(request), name: 'by', make: upsertMany },
      { takes: hasKey, name: 'by', make: upsertRecord },
      { takes: isArray, name: 'array', make: replaceMany },
      { make: replaceNamed },
    ],
  },
  {
    method: 'PATCH',
    operation: 'patch',
    suffix: '',
    ways: [
      { takes: isArray, name: 'array', make: patchMany },
      { name: 'filter', make: patchMatching },
    ],
  },
  {
    method: 'DELETE',
    operation: 'delete',
    suffix: '',
    ways: [{ name: 'filter', make: deleteMatching }],
  },
]

const ONE: Endpoint = { method: 'GET', operation: 'findOne', suffix: '/:id', ways: [{ make: getRecord }] }

/** The same of a resource with a history: as the record is now, or as it was. */
const ONE_THEN: Endpoint = { ...ONE, ways: [{ takes: hasMoment, name: 'at', make: getRecordAt }, ...ONE.ways] }

const OTHERS_OF_RECORD: readonly Endpoint[] = [
  { method: 'POST', operation: 'create', suffix: '/:id', ways: [{ make: createAt }] },
  { method: 'PUT', operation: 'replace', suffix: '/:id', ways: [{ make: replaceRecord }] },
  { method: 'PATCH', operation: 'patch', suffix: '/:id', ways: [{ make: patchRecord }] },
  { method: 'DELETE', operation: 'delete', suffix: '/:id', ways: [{ make: deleteRecord }] },
]

/** Of a resource with a history. */
const HISTORY: readonly (readonly Endpoint[])[] = [
  [
    {
      method: 'GET',
      operation: 'history',
      suffix: '/:id/$history',
      ways: [{ make: getHistory }],
    },
  ],
  [
    {
      method: 'GET',
      operation: 'history',
      suffix: '/:id/$history/:write',
      ways: [{ make: getHistoryEntry }],
    },
  ],
  [
    {
      method: 'POST',
      operation: 'undo',
      suffix: '/:id/$history/:write/$undo',
      ways: [{ make: undoWrite }],
    },
  ],
]

/** The endpoints of each path of a mount: the collection, its groups, its deleted records, its records, and their
 * links. */
export function endpointsOf({ path, links }: Mount): readonly (readonly Endpoint[])[] {
  const { hasGroups, trash } = path.resource
  const besides = [[LONG_LIST], ...(hasGroups ? [[GROUPS, LONG_GROUPS]] : []), ...(trash ? TRASH : [])]
  const hasHistory = keepsHistory(path.resource)
  const ofRecord = [hasHistory ? ONE_THEN : ONE, ...OTHERS_OF_RECORD]
  const ofHistory = hasHistory ? HISTORY : []
  return [OF_COLLECTION, ...besides, ofRecord, ...ofHistory, ...links.flatMap(linkEndpoints)]
}

/** The endpoint of an action of the application. */
export function actionEndpoint({ name, isOfRecord, isRead }: CheckedAction): Pick<Endpoint, 'method' | 'suffix'> {
  return { method: isRead ? 'GET' : 'POST', suffix: isOfRecord ? `/:id/$act/${name}` : `/$act/${name}` }
}

/** The page of related records, and the address of one of them: to add or remove it is a PATCH of the record. */
function linkEndpoints(linked: MountLink): readonly (readonly Endpoint[])[] {
  const { link, param } = linked
  const suffix = `/:id/${link.name}` as const
  const page: Endpoint = {
    method: 'GET',
    operation: 'findOne',
    suffix,
    linked,
    ways: [{ make: getLinked(linked) }],
  }
  const change = (method: 'PUT' | 'DELETE'): Endpoint => ({
    method,
    operation: 'patch',
    suffix: `${suffix}/:${param}`,
    linked,
    ways: [{ make: changeLink(method, linked) }],
  })
  return [[page], [change('PUT'), change('DELETE')]]
}
