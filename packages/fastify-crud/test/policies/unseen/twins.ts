import { createStore } from 'fastify-crud'
import { sql } from 'kysely'
import { vi } from 'vitest'
import { buildApp, type TestApp } from '../../../../../test/support/app.ts'
import type { TestDatabase } from '../../../../../test/support/databases.ts'
import type { JsonBody } from '../../../../../test/support/json-body.ts'
import type { TestKysely } from '../../../../../test/support/tables.ts'
import { follow } from '../../changes/support/follow.ts'
import { officePolicies } from '../models/offices.ts'
import { ada, caller, headersOf, type Policies } from '../support/as-caller.ts'
import { movingOffices, officeActions } from './model.ts'

/** The ids that the tables of the offices hold, by resource. */
export type Ids = Readonly<Record<string, readonly number[]>>

/** Two services with the same rows: one of them also has rows that Ada may not see. */
export interface Twins {
  readonly withHidden: TestApp
  readonly without: TestApp
  /** Fills both anew. Returns all ids, those of hidden rows too. */
  fill(): Promise<Ids>
  /** What a stream of changes tells Ada of all that was written since {@link fill}; of both. */
  told(): Promise<readonly (readonly string[])[]>
  close(): Promise<void>
}

const ownBy = (column: string): Policies[string] => ({
  View: ({ eb, my }) => eb(column, '=', my('id')),
  Add: ({ eb, my }) => eb(column, '=', my('id')),
  Edit: ({ eb, my }) => eb(column, '=', my('id')),
  Delete: ({ eb }) => eb('text', '!=', 'kept'),
})

const policies: Policies = { ...officePolicies, note: ownBy('authorId'), seal: ownBy('signerId') }

const tables = [
  ...['reply', 'note', 'seal', 'part', 'line', 'reminder', 'board_invoices', 'board'],
  ...['invoice_tags', 'invoice', 'customer', 'project', 'tag'],
]
const links = ['board_invoices', 'invoice_tags']

export async function buildTwins(kind: TestDatabase): Promise<Twins> {
  const plugin = { caller, policies, actions: officeActions as never, batch: true, changes: { poll: 5, heartbeat: 20 } }
  const [withHidden, without] = [
    await buildApp(kind, movingOffices, { plugin }),
    await buildApp(kind, movingOffices, { plugin }),
  ]
  const starts = new Map<TestApp, number>()
  return {
    withHidden,
    without,
    async fill() {
      for (const app of [withHidden, without]) {
        await app.database.empty()
        await restartIds(app)
        await addRows(app.db)
        starts.set(app, await lastPosition(app))
      }
      const ids = await idsIn(withHidden.db)
      await removeHidden(without.db)
      return ids
    },
    told: () => Promise.all([withHidden, without].map((app) => toldBy(app, starts.get(app) ?? 0))),
    async close() {
      await withHidden.close()
      await without.close()
    },
  }
}

async function lastPosition({ db }: TestApp): Promise<number> {
  const all = db.selectFrom('crud_history').select((of) => of.fn.max('position').as('last'))
  return Number((await all.executeTakeFirstOrThrow()).last)
}

/** The events behind a position, without what differs from write to write. */
async function toldBy(app: TestApp, start: number): Promise<readonly string[]> {
  const end = await lastPosition(app)
  const stream = await follow(app.fastify, `/api/$changes?after=${start}`, headersOf(ada))
  try {
    await vi.waitUntil(() => (stream.lastId() ?? 0) >= end, { timeout: 30_000, interval: 5 })
    return stream.events.map(({ data: { position: _, write: __, at: ___, ...event } }) => JSON.stringify(event))
  } finally {
    stream.close()
  }
}

/** Both have the same ids only if they begin at the same one. */
async function restartIds({ db, database }: TestApp): Promise<void> {
  if (database.name === 'sqlite') await sql`delete from sqlite_sequence`.execute(db)
  else {
    for (const table of tables.filter((name) => !links.includes(name))) {
      await sql`select setval(pg_get_serial_sequence(${table}, 'id'), 1, false)`.execute(db)
    }
  }
}

async function addRows(db: TestKysely): Promise<void> {
  const all = createStore({ db, resources: movingOffices })
  const orgs = [1, 2, 1, 2]
  const add = async (resource: 'customer' | 'project' | 'tag') => {
    const rows: JsonBody[] = []
    for (const orgId of orgs) rows.push(await all[resource].create({ name: nameIn(orgId), orgId }))
    return rows
  }
  const [customers, projects, tags] = [await add('customer'), await add('project'), await add('tag')]
  const ref = ({ id }: JsonBody) => ({ id })
  const invoices: JsonBody[] = []
  for (const [index, orgId] of [1, 2, 1, 2, 1].entries()) {
    const text = nameIn(orgId)
    const invoice = await all.invoice.create({
      number: text,
      orgId,
      customerId: customers[orgId - 1].id,
      projectId: projects[orgId + 1].id,
      tags: index < 3 ? tags.map(ref) : [],
      lines: [{ text, parts: [{ text }] }, { text }],
      notes: [
        { text, authorId: 1, replies: [{ text }] },
        { text: 'zebra note', authorId: 2, replies: [{ text: 'zebra' }] },
      ],
      ...(index !== 2 && { seal: index < 2 ? { text: 'zebra', signerId: 2 } : { text, signerId: 1 } }),
    })
    invoices.push(invoice)
  }
  const boards: JsonBody[] = []
  for (const { id, orgId } of invoices) {
    await all.reminder.create({ text: nameIn(orgId), orgId, invoiceId: id })
    boards.push(await all.board.create({ name: nameIn(orgId), orgId, topId: id, invoices: invoices.map(ref) }))
  }
  // One of each is in the trash.
  for (const { id } of boards.slice(0, 2)) await all.board.delete(id)
}

const nameIn = (orgId: number) => (orgId === 1 ? 'ours' : 'zebra')

async function idsIn(db: TestKysely): Promise<Ids> {
  const ids: Record<string, number[]> = {}
  for (const table of tables.filter((name) => !links.includes(name))) {
    const rows = await db.selectFrom(table).select('id').orderBy('id').execute()
    ids[table] = rows.map(({ id }) => Number(id))
  }
  return ids
}

/** Whatever has a zebra, or belongs to what has one. */
async function removeHidden(db: TestKysely): Promise<void> {
  const hidden = (table: string, column = 'orgId') => db.selectFrom(table).select('id').where(column, '=', 2)
  const remove = (table: string, column: string, ids: ReturnType<typeof hidden>) =>
    db.deleteFrom(table).where(column, 'in', ids).execute()
  await remove('board_invoices', 'boardId', hidden('board'))
  await remove('board_invoices', 'invoiceId', hidden('invoice'))
  await remove('invoice_tags', 'invoiceId', hidden('invoice'))
  await remove('invoice_tags', 'tagId', hidden('tag'))
  const ofInvoices = (table: string) => db.selectFrom(table).select('id').where('invoiceId', 'in', hidden('invoice'))
  await remove('reply', 'noteId', hidden('note', 'authorId'))
  await remove('reply', 'noteId', ofInvoices('note'))
  await remove('note', 'id', hidden('note', 'authorId'))
  await remove('seal', 'id', hidden('seal', 'signerId'))
  await remove('part', 'lineId', ofInvoices('line'))
  for (const table of ['note', 'seal', 'line']) await remove(table, 'invoiceId', hidden('invoice'))
  for (const table of ['board', 'reminder', 'invoice', 'customer', 'project', 'tag']) {
    await remove(table, 'id', hidden(table))
  }
}
