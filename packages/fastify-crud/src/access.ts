import { CrudError } from '@fastify-crud/core'
import type { FastifyRequest } from 'fastify'
import type { AccessQuestion, Authorize } from './options.ts'

/** Asks the application; throws `CRUD_ERR_FORBIDDEN` unless it says `true`. */
export async function checkAccess(
  authorize: Authorize | undefined,
  request: FastifyRequest,
  question: AccessQuestion,
): Promise<void> {
  if (authorize === undefined) return
  if ((await authorize(request, question)) === true) return
  const { action, resource, id } = question
  const what = id === undefined ? resource : `${resource} ${id}`
  throw new CrudError({ code: 'CRUD_ERR_FORBIDDEN', detail: `${action} of ${what} is not allowed`, errors: [] })
}
