import type { FastifyInstance } from 'fastify'
import { handWrittenApp } from './hand-written.ts'
import type { Db, KyselyQueries } from './kysely-queries.ts'
import {
  type ById,
  type Create,
  checkPatch,
  type Page,
  type Patch,
  pageOf,
  pathId,
  type Replace,
  schemas,
} from './schemas.ts'

/** Fastify and Kysely in the usual way, on either database. */
export function kyselyApp(db: Db, queries: KyselyQueries): FastifyInstance {
  const app = handWrittenApp()
  app.addHook('onClose', () => db.destroy())

  app.get<ById>('/api/parent/:id', { schema: schemas.read }, async (request) => queries.find(pathId(request.params)))

  app.get<Page>('/api/parent', { schema: schemas.list }, async (request) => {
    const { limit, offset } = pageOf(request.query)
    return queries.list(limit, offset)
  })

  app.post<Create>('/api/parent', { schema: schemas.create }, async (request, reply) => {
    const record = await queries.create(request.body)
    return reply.code(201).header('location', `/api/parent/${record.id}`).send(record)
  })

  app.put<Replace>('/api/parent/:id', { schema: schemas.replace }, async (request) =>
    queries.replace(pathId(request.params), request.body),
  )

  app.patch<Patch>('/api/parent/:id', { schema: schemas.patch }, async (request) => {
    const id = pathId(request.params)
    checkPatch(id, request.body)
    return queries.patch(id, request.body)
  })

  app.delete<ById>('/api/parent/:id', { schema: schemas.delete }, async (request, reply) => {
    await queries.remove(pathId(request.params))
    return reply.code(204).send()
  })
  return app
}
