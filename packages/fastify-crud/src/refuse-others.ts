import { CrudError } from '@fastify-crud/core'
import type { onRequestHookHandler } from 'fastify'
import { mediaTypeError } from './body-encoding.ts'

/** Refuses what a path does not take, before the body is read: a method that it does not have, a media type other than JSON. */
export function refuseOthers(methods: readonly string[]): onRequestHookHandler {
  const allow = methods.join(', ')
  return ({ method, headers }, reply, done) => {
    if (!methods.includes(method)) {
      reply.header('allow', allow)
      const detail = `${method} is not allowed here (allowed: ${allow})`
      return done(new CrudError({ code: 'CRUD_ERR_METHOD', detail, errors: [] }))
    }
    const type = headers['content-type']
    if (type === undefined || method === 'GET' || method === 'HEAD') return done()
    done(mediaTypeError(type))
  }
}
