import { CrudError } from '@fastify-crud/core'
import { shortened } from '@fastify-crud/core/internal'

/** The error of a URL that is no path of the service. */
export function nothingAt(url: string): CrudError {
  return new CrudError({ code: 'CRUD_ERR_NOT_FOUND', detail: `there is nothing at ${shortened(url)}`, errors: [] })
}
