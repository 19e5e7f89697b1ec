import Fastify from 'fastify'
import { type CrudOptions, createTables, crudPlugin, type Id } from 'fastify-crud'
import { sql } from 'kysely'
import { vi } from 'vitest'
import type { TestDatabase } from '../../../../../test/support/databases.ts'
import { follow } from '../../changes/support/follow.ts'
import { FOUR, idOf, KEYS_OF, type Key, NINE } from './keys.ts'
import { actions, model } from './model.ts'
import { type DrawnRequest, NTH_WRITE } from './requests.ts'

/** A service over a database with the rows of one tenant, or of two. */
export interface Twin {
  /** Empties the tables, and adds the rows that there are at first. */
  fill(): Promise<void>
  send(tenant: string, request: SentRequest): Promise<SentAnswer>
  /** What a stream of changes tells of all that was written since {@link fill}. */
  told(tenant: string, path: string): Promise<readonly string[]>
  close(): Promise<void>
}

export interface SentRequest extends Pick<DrawnRequest, 'method' | 'body'> {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
}

/** All that a client sees of an answer. */
export interface SentAnswer {
  readonly status: number
  /** But for the time of day. */
  readonly headers: Readonly<Record<string, unknown>>
  readonly body: string
}

export async function openTwin(
  kind: TestDatabase,
  tenants: readonly string[],
  options: Partial<CrudOptions>,
): Promise<Twin> {
  const database = await kind.open()
  await createTables(database.db, model)
  const app = Fastify()
  await app.register(crudPlugin, {
    db: database.db,
    resources: model,
    actions,
    batch: true,
    changes: { poll: 5, heartbeat: 20 },
    tenant: (_caller: unknown, { headers }: { headers: Record<string, unknown> }) => headers['x-org'] as Id,
    ...options,
  } as never)
  await app.ready()
  const send: Twin['send'] = async (tenant, { method, url: drawn, headers, body }) => {
    const [nth, index] = NTH_WRITE.exec(drawn) ?? []
    const write = nth === undefined ? NO_WRITE : await writeOf(tenant, drawn, Number(index))
    const url = drawn.replace(NTH_WRITE, drawn.includes('at=') ? write.at : write.write)
    const payload = body === undefined ? {} : { payload: JSON.stringify(body) }
    const type = body === undefined ? {} : { 'content-type': 'application/json' }
    const answer = await app.inject({
      method: method as 'GET',
      url,
      headers: { 'x-org': tenant, ...type, ...headers },
      ...payload,
    })
    const { date: _, ...others } = answer.headers
    // No two writes have one id, or are done at one time.
    const text = answer.payload
      .replaceAll(WRITE, '"write":"","at":""')
      .replaceAll(DELETED, '"deletedAt":""')
      .replaceAll(POSITION, '"next":""')
      .replaceAll(write.write, '')
    // The ETag of such a record is another one, too, and a moment may have fewer digits.
    const isOfTime = text.includes('"deletedAt":""')
    const isCut = text !== answer.payload
    return {
      status: answer.statusCode,
      headers: {
        ...others,
        ...(isOfTime && { etag: undefined }),
        ...(isCut && { 'content-length': undefined }),
      },
      body: isOfTime ? text.replaceAll(ETAG, '"etag":""') : text,
    }
  }
  /** The newest write but so many of a record, by what its history says. No two are of one moment, in either database. */
  const writeOf = async (tenant: string, url: string, index: number): Promise<typeof NO_WRITE> => {
    await sql`update crud_history set at = position * 1000`.execute(database.db)
    const path = url.replace(/(?:\/\$history|\?).*/, '')
    const { payload } = await app.inject({ url: `${path}/$history`, headers: { 'x-org': tenant } })
    const { rows = [] } = JSON.parse(payload) as { readonly rows?: readonly (typeof NO_WRITE)[] }
    return rows[index] ?? NO_WRITE
  }
  const lastPosition = async () => {
    const all = database.db.selectFrom('crud_history').select((of) => of.fn.max('position').as('last'))
    return Number((await all.executeTakeFirstOrThrow()).last)
  }
  let filled = 0
  const add = async (tenant: string, path: string, body: object) => {
    const answer = await send(tenant, { method: 'POST', url: path, headers: {}, body })
    if (answer.status !== 201) throw new Error(`POST ${path}: ${answer.status} ${answer.body}`)
  }
  return {
    async fill() {
      const { db } = database
      await database.empty()
      await db
        .insertInto('org')
        .values(tenants.map((id) => ({ id, name: 'Organisation' })))
        .execute()
      await db.insertInto('country').values({ id: 'AT', name: 'Austria' }).execute()
      for (const tenant of tenants) {
        for (const [path, body] of rowsOf(KEYS_OF[tenant] ?? [])) await add(tenant, path, body)
      }
      filled = await lastPosition()
    },
    send,
    async told(tenant, path) {
      const end = await lastPosition()
      const stream = await follow(app, `${path}/$changes?after=${filled}`, { 'x-org': tenant })
      try {
        if (stream.status !== 200) return [JSON.stringify([stream.status, stream.problem])]
        await vi.waitUntil(() => (stream.lastId() ?? 0) >= end, { timeout: 30_000, interval: 5 })
        return stream.events.map(({ data: { position: _, write: __, at: ___, ...event } }) => JSON.stringify(event))
      } finally {
        stream.close()
      }
    },
    async close() {
      await app.close()
      await database.close()
    },
  }
}

/** A record of each resource for each key. */
function rowsOf(keys: readonly Key[]): readonly (readonly [path: string, body: object])[] {
  const next = (key: Key) => keys[(keys.indexOf(key) + 1) % keys.length] as Key
  const members = keys.map((key) => ['/api/member', { id: idOf('member', key), email: key }] as const)
  const labels = keys.map((key) => ['/api/label', { id: key, name: key }] as const)
  const projects = keys.map((key) => {
    const [one, other] = [idOf('member', key), idOf('member', next(key))]
    const project = {
      id: key,
      name: key,
      code: next(key),
      countryId: key === 'b' ? null : 'AT',
      leadId: other,
      reviewerId: one,
      cover: { id: idOf('cover', key), url: key },
      tasks: [{ id: idOf('task', key), title: key, labelId: next(key), helpers: [{ id: one }, { id: other }] }],
      labels: [{ id: key }, { id: next(key) }],
    }
    return ['/api/project', project] as const
  })
  const [first, ...others] = keys
  const folders = others.map((id) => ({ id, name: id, aboutId: id }))
  return [...members, ...labels, ...projects, ['/api/folder', { id: first, name: first, folders }]]
}

/** The id and the moment of no write. */
const NO_WRITE = { write: '01930000-0000-7000-8000-000000000000', at: '1970-01-01T00:00:00Z' }

/** Where a page of a history ends: a number, by which the writes of all tenants are counted together. */
const POSITION = /"next":"\d+"/g
const DELETED = /"deletedAt":"[^"]*"/g
const ETAG = /"etag":"[^,]*"/g
const WRITE = /"write":"[^"]*","at":"[^"]*"/g

export const TENANTS_OF_TWINS = [[FOUR], [FOUR, NINE]] as const
