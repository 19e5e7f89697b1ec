import type { Address, Asked, JsonStore, Operation } from '@fastify-crud/core/internal'
import type { Access } from '../../access/access.ts'
import type { Action } from '../../access/authorize.ts'
import { idOfRecord } from '../../access/id-of-record.ts'

const ACTIONS: Readonly<Partial<Record<Operation, Action>>> = {
  create: 'Add',
  replace: 'Edit',
  patch: 'Edit',
  delete: 'Delete',
}

/** What is needed to ask about each record of a request. */
interface EachAsked {
  readonly store: JsonStore
  readonly requestContext: unknown
  /** The questions are about owners, which the path does not name. */
  readonly asksOwner: boolean
  accessAt(at: Address): Access
}

/** Asks the application about each record that a write of many names, as if each were written alone. */
export function checkEach({ store, requestContext, asksOwner, accessAt }: EachAsked): Asked['checkRecords'] {
  return async (at, records) => {
    const atPath = accessAt(at)
    for (const one of records) {
      const action = ACTIONS[one.operation] as Action
      const id = one.operation === 'create' ? undefined : idOfRecord(at.path.resource, one.id)
      if (!asksOwner) {
        await atPath.check(action, id)
        continue
      }
      const located =
        one.operation === 'create'
          ? one.at
          : await store.locate(at, one.operation, one.id, undefined, { requestContext })
      const access = accessAt(located)
      await access.refuseUnseen(id)
      await access.check(action, id)
    }
  }
}
