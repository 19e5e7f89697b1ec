import { CrudError } from '@fastify-crud/core'
import type { FastifyRequest } from 'fastify'
import type { AccessQuestion, Authorize } from './options.ts'

/** Asks the application; fails with `CRUD_ERR_FORBIDDEN` unless it says `true`. */
export async function checkAccess(
  authorize: Authorize,
  request: FastifyRequest,
  question: AccessQuestion,
): Promise<void> {
  if ((await authorize(request, question)) !== true) throw forbidden(question)
}

function forbidden({ action, resource, id }: AccessQuestion): CrudError {
  const what = id === undefined ? resource : `${resource} ${id}`
  return new CrudError({ code: 'CRUD_ERR_FORBIDDEN', detail: `${action} of ${what} is not allowed`, errors: [] })
}
