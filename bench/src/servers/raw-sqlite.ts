import { openSqlite } from '../databases/open-sqlite.ts'
import { handWrittenApp, noRecord } from './hand-written.ts'
import { type RawStatements, rawStatements } from './raw-sqlite-statements.ts'
import { rawWrites } from './raw-sqlite-writes.ts'
import {
  type ById,
  type Child,
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

const JSON_TYPE = 'application/json; charset=utf-8'

/** Fastify and better-sqlite3, tuned by hand: what one can reach at all. */
export const build: Build = async (location) => {
  const database = openSqlite(location)
  const statements = rawStatements(database)
  const { create, replace, patch, remove } = rawWrites(database, statements)
  const app = handWrittenApp()
  app.addHook('onClose', async () => database.close())

  app.get<ById>('/api/parent/:id', { schema: schemas.read }, (request, reply) => {
    const id = pathId(request.params)
    const json = statements.record.get(id)
    if (json === undefined) throw noRecord(id)
    reply.header('content-type', JSON_TYPE).send(json)
  })

  app.get<Page>('/api/parent', { schema: schemas.list }, (request, reply) => {
    const { limit, offset } = pageOf(request.query)
    reply.send(listed(statements, limit, offset))
  })

  app.post<Create>('/api/parent', { schema: schemas.create }, (request, reply) => {
    const record = create(request.body)
    reply.code(201).header('location', `/api/parent/${record.id}`).send(record)
  })

  app.put<Replace>('/api/parent/:id', { schema: schemas.replace }, (request, reply) => {
    reply.send(replace(pathId(request.params), request.body))
  })

  app.patch<Patch>('/api/parent/:id', { schema: schemas.patch }, (request, reply) => {
    const id = pathId(request.params)
    checkPatch(id, request.body)
    reply.header('content-type', JSON_TYPE).send(patch(id, request.body))
  })

  app.delete<ById>('/api/parent/:id', { schema: schemas.delete }, (request, reply) => {
    remove(pathId(request.params))
    reply.code(204).send()
  })
  return app
}

function listed(statements: RawStatements, limit: number, offset: number) {
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
