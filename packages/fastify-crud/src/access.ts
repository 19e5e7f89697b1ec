import { CrudError } from '@fastify-crud/core'
import type { FastifyRequest } from 'fastify'
import type { AccessQuestion, Authorize } from './options.ts'

/**
 * Asks the application; throws or rejects with `CRUD_ERR_FORBIDDEN` unless it says `true`. What is said at once need not be
 * waited for.
 */
export function checkAccess(
  authorize: Authorize | undefined,
  request: FastifyRequest,
  question: AccessQuestion,
): Promise<void> | undefined {
  const said = authorize === undefined ? true : authorize(request, question)
  if (said === true) return undefined
  return Promise.resolve(said).then((isAllowed) => {
    if (isAllowed !== true) throw forbidden(question)
  })
}

function forbidden({ action, resource, id }: AccessQuestion): CrudError {
  const what = id === undefined ? resource : `${resource} ${id}`
  return new CrudError({ code: 'CRUD_ERR_FORBIDDEN', detail: `${action} of ${what} is not allowed`, errors: [] })
}
