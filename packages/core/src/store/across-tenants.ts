import { CrudError, unsupported } from '../errors.ts'
import type { Resource } from '../model/model.ts'
import { databaseErrorKind } from '../session/database-errors.ts'
import type { Collection } from './types/store-types.ts'

/** Records of all tenants. They can be listed, where their ids are unique among those of all tenants, and no single one is reached. */
export function acrossTenants({ key, id, softDelete }: Resource, all: Collection): Collection {
  const refuse = (method: string) => () => {
    throw new TypeError(`${key}.${method}: its records are the tenants'; name one with asSystem({ tenant })`)
  }
  const isUnique = id.assignedBy === 'database' || (id.name === 'uuid' && id.assignedBy === 'library')
  return Object.freeze({
    list: isUnique ? listOf(all) : refuse('list'),
    group: refuse('group'),
    find: refuse('find'),
    create: refuse('create'),
    replace: refuse('replace'),
    patch: refuse('patch'),
    delete: refuse('delete'),
    createMany: refuse('createMany'),
    replaceMany: refuse('replaceMany'),
    patchMany: refuse('patchMany'),
    upsert: refuse('upsert'),
    upsertMany: refuse('upsertMany'),
    patchMatching: refuse('patchMatching'),
    deleteMatching: refuse('deleteMatching'),
    owned: refuse('owned'),
    linked: refuse('linked'),
    ...(softDelete && { restore: refuse('restore'), purge: refuse('purge') }),
  })
}

function listOf(all: Collection): Collection['list'] {
  const list = (options?: never) => all.list(options as never).catch(unlessSpread)
  return list as Collection['list']
}

/** Citus answers only for one tenant at a time, where tables are spread over its machines. */
function unlessSpread(error: unknown): never {
  if (!(error instanceof CrudError) || databaseErrorKind(error.cause) !== 'unsupported') throw error
  const refusal = unsupported('a list of all tenants', 'list one after the other by asSystem({ tenant })')
  throw new CrudError(refusal, { cause: error.cause })
}
