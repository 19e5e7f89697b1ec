import { CrudError, type Id } from '@fastify-crud/core'
import {
  type Address,
  type Asked,
  type Mount,
  notFound,
  type Operation,
  type Resource,
} from '@fastify-crud/core/internal'
import type { FastifyRequest } from 'fastify'
import type { Service } from '../service.ts'
import { Access } from './access.ts'
import { ACTION_OF, type AccessQuestion, type Authorize } from './authorize.ts'
import { idOfRecord } from './questions.ts'
import type { Requester } from './who-asks.ts'
import type { Within } from './within.ts'

/** Whether who is asked about access is told of an owner that the path does not name. */
export function asksOwner(
  { authorize }: Service,
  { path }: Mount,
  operation: Operation,
  authorizesByOwner: boolean,
): boolean {
  return authorize !== undefined && authorizesByOwner && path.isTopLevel && operation !== 'list'
}

/** What a question about access needs besides the address. */
interface QuestionOrigin {
  readonly operation: AccessQuestion['operation']
  readonly recordId: Id | undefined
  readonly resource: Resource
  readonly asking: Requester
  readonly within: Within | undefined
}

/** Asks about one address of a request. Of one within a batch, the application is told of that. */
export function accessAt(
  authorize: Authorize,
  request: FastifyRequest,
  at: Address,
  { operation, recordId, resource, asking, within }: QuestionOrigin,
): Access {
  const memory = within?.memory
  const isNew = recordId !== undefined && memory?.isNew(resource, recordId) === true
  const origin = { resource: resource.key, id: isNew ? undefined : recordId }
  return new Access(authorize, within?.request ?? request, at, { operation, origin, caller: asking.caller }, memory)
}

/** A request about many records. */
interface CallOfMany {
  readonly request: FastifyRequest
  readonly asking: Requester
  readonly recordId: Id | undefined
  readonly within: Within | undefined
}

/** How the application is asked about the records of a write of many. */
interface RecordCheck {
  /** The questions are about owners, which the path does not name: none can be asked before they are known. */
  readonly asksOwner: boolean
  of(call: CallOfMany): NonNullable<Asked['checkRecords']>
}

/** Asks the application about each record that a write of many names, as if each were written alone. */
export function checkEach(
  service: Service,
  mount: Mount,
  operation: Operation,
  authorizesByOwner: boolean,
  authorize: Authorize,
): RecordCheck {
  const { resource } = mount.path
  const ofOwner = asksOwner(service, mount, operation, authorizesByOwner)
  return {
    asksOwner: ofOwner,
    of: ({ request, asking, recordId, within }) => {
      const access = (at: Address) =>
        accessAt(authorize, request, at, { operation, recordId, resource, asking, within })
      return {
        asksOwners: ofOwner,
        async check(at, records, addressOf) {
          const atPath = access(at)
          for (const one of records) {
            const action = ACTION_OF[one.operation]
            const id = one.operation === 'create' ? undefined : idOfRecord(at.path.resource, one.id)
            if (!ofOwner) {
              await atPath.check(action, id)
              continue
            }
            const located = addressOf(one)
            if (located === undefined) throw new CrudError(notFound(resource.key, id ?? ''))
            const atOwner = access(located)
            await atOwner.refuseUnseen(id)
            await atOwner.check(action, id)
          }
        },
      }
    },
  }
}
