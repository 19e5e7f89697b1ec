import type { FastifyInstance } from 'fastify'
import type { Pool } from 'pg'
import { handWrittenApp, noRecord, sendJson } from './hand-written.ts'
import { openPool } from './open-pool.ts'
import { statements } from './postgres-statements.ts'
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
import type { Build } from './serve.ts'

/** The writes; records are JSON text. */
export interface PostgresWrites {
  create(body: Create['Body']): Promise<{ readonly id: number; readonly json: string }>
  replace(id: number, body: Replace['Body']): Promise<string>
  patch(id: number, body: Patch['Body']): Promise<string>
  remove(id: number): Promise<void>
}

/** Fastify and pg, tuned by hand: named statements, pipelined. */
export function postgresByHand(writesOf: (pool: Pool) => PostgresWrites): Build {
  return async (location) => {
    const pool = openPool(location, { pipeline: true })
    return postgresApp(pool, writesOf(pool))
  }
}

function postgresApp(pool: Pool, { create, replace, patch, remove }: PostgresWrites): FastifyInstance {
  const app = handWrittenApp()
  app.addHook('onClose', () => pool.end())

  app.get<ById>('/api/parent/:id', { schema: schemas.read }, async (request, reply) => {
    const id = pathId(request.params)
    const { rows } = await pool.query(statements.record.with(id))
    if (rows.length === 0) throw noRecord(id)
    return sendJson(reply, rows[0].json)
  })

  app.get<Page>('/api/parent', { schema: schemas.list }, async (request, reply) => {
    const { limit, offset } = pageOf(request.query)
    const { rows } = await pool.query(statements.page.with(limit, offset))
    return sendJson(reply, rows[0].json)
  })

  app.post<Create>('/api/parent', { schema: schemas.create }, async (request, reply) => {
    const { id, json } = await create(request.body)
    return sendJson(reply.code(201).header('location', `/api/parent/${id}`), json)
  })

  app.put<Replace>('/api/parent/:id', { schema: schemas.replace }, async (request, reply) => {
    return sendJson(reply, await replace(pathId(request.params), request.body))
  })

  app.patch<Patch>('/api/parent/:id', { schema: schemas.patch }, async (request, reply) => {
    const id = pathId(request.params)
    checkPatch(id, request.body)
    return sendJson(reply, await patch(id, request.body))
  })

  app.delete<ById>('/api/parent/:id', { schema: schemas.delete }, async (request, reply) => {
    await remove(pathId(request.params))
    return reply.code(204).send()
  })
  return app
}
