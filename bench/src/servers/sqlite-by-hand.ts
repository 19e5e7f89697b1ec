import type { Database } from 'better-sqlite3'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { openSqlite } from '../databases/open-sqlite.ts'
import { handWrittenApp, noRecord, sendJson } from './hand-written.ts'
import {
  type ById,
  type Child,
  type Create,
  checkPatch,
  type Page,
  type Parent,
  type Patch,
  pageOf,
  pathId,
  type Replace,
  schemas,
} from './schemas.ts'
import type { Build } from './serve.ts'
import { type SqliteStatements, sqliteStatements } from './sqlite-statements.ts'

/** A record, or its JSON text. */
export type Answer = Parent | string

export interface SqliteWrites {
  create(body: Create['Body']): { readonly id: number; readonly record: Answer }
  replace(id: number, body: Replace['Body']): Answer
  patch(id: number, body: Patch['Body']): string
  remove(id: number): void
}

/** Fastify and better-sqlite3, tuned by hand. */
export function sqliteByHand(writesOf: (database: Database, statements: SqliteStatements) => SqliteWrites): Build {
  return async (location) => {
    const database = openSqlite(location)
    const statements = sqliteStatements(database)
    return sqliteApp(database, statements, writesOf(database, statements))
  }
}

function sqliteApp(
  database: Database,
  statements: SqliteStatements,
  { create, replace, patch, remove }: SqliteWrites,
): FastifyInstance {
  const app = handWrittenApp()
  app.addHook('onClose', async () => database.close())

  app.get<ById>('/api/parent/:id', { schema: schemas.read }, (request, reply) => {
    const id = pathId(request.params)
    const json = statements.record.get(id)
    if (json === undefined) throw noRecord(id)
    sendJson(reply, json)
  })

  app.get<Page>('/api/parent', { schema: schemas.list }, (request, reply) => {
    const { limit, offset } = pageOf(request.query)
    reply.send(listed(statements, limit, offset))
  })

  app.post<Create>('/api/parent', { schema: schemas.create }, (request, reply) => {
    const { id, record } = create(request.body)
    sendRecord(reply.code(201).header('location', `/api/parent/${id}`), record)
  })

  app.put<Replace>('/api/parent/:id', { schema: schemas.replace }, (request, reply) => {
    sendRecord(reply, replace(pathId(request.params), request.body))
  })

  app.patch<Patch>('/api/parent/:id', { schema: schemas.patch }, (request, reply) => {
    const id = pathId(request.params)
    checkPatch(id, request.body)
    sendJson(reply, patch(id, request.body))
  })

  app.delete<ById>('/api/parent/:id', { schema: schemas.delete }, (request, reply) => {
    remove(pathId(request.params))
    reply.code(204).send()
  })
  return app
}

function sendRecord(reply: FastifyReply, record: Answer): void {
  if (typeof record === 'string') sendJson(reply, record)
  else reply.send(record)
}

function listed(statements: SqliteStatements, limit: number, offset: number) {
  const count = statements.count.get() as number
  const rows = statements.page
    .all(limit, offset)
    .map(([id, name, quantity]) => ({ id, name, quantity, children: [] as Child[] }))
  const [first] = rows
  const last = rows.at(-1)
  if (first === undefined || last === undefined) return { rows, count }
  let row = 0
  for (const [parentId, id, name, quantity] of statements.childrenOfRange.all(first.id, last.id)) {
    while (rows[row]?.id !== parentId) row += 1
    rows[row]?.children.push({ id, name, quantity })
  }
  return { rows, count }
}
