import type { Address, Asked, Mount, Operation } from '@fastify-crud/core/internal'
import { ACTION_OF, type Authorize } from '../../access/authorize.ts'
import { idOfRecord } from '../../access/id-of-record.ts'
import type { Service } from '../../service.ts'
import { accessAt, asksOwner } from './begin.ts'
import type { Call } from './operation.ts'

/** Asks the application about each record that a write of many names, as if each were written alone. */
export interface EachAsked {
  /** The questions are about owners, which the path does not name: none can be asked before they are known. */
  readonly asksOwner: boolean
  of(call: Call): Asked['checkRecords']
}

export function checkEach(
  service: Service,
  mount: Mount,
  operation: Operation,
  namesOwner: boolean,
  authorize: Authorize,
): EachAsked {
  const { resource } = mount.path
  const ofOwner = asksOwner(service, mount, operation, namesOwner)
  return {
    asksOwner: ofOwner,
    of: ({ request, requestContext, store, asking, recordId }) => {
      const access = (at: Address) => accessAt(authorize, request, at, { operation, recordId, resource, asking })
      return async (at, records) => {
        const atPath = access(at)
        for (const one of records) {
          const action = ACTION_OF[one.operation]
          const id = one.operation === 'create' ? undefined : idOfRecord(at.path.resource, one.id)
          if (!ofOwner) {
            await atPath.check(action, id)
            continue
          }
          const isNew = one.operation === 'create'
          const located = isNew ? one.at : await store.locate(at, one.operation, one.id, undefined, { requestContext })
          const atOwner = access(located)
          await atOwner.refuseUnseen(id)
          await atOwner.check(action, id)
        }
      }
    },
  }
}
