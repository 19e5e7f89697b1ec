import {
  audit,
  createStore,
  numbers,
  outbox,
  readOutbox,
  set,
  stamps,
  timestamps,
  transitions,
} from '@fastify-crud/core'
import { Type } from '@sinclair/typebox'
import { createTables, defineResources, field, type IdDeclaration, knows, ownedBy, owns } from 'fastify-crud'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import { allKinds } from '../contract/ids/kinds.ts'
import { withRules } from './support/rules.ts'

const change = {
  at: Type.String({ format: 'date-time' }),
  resource: Type.String(),
  recordId: Type.String(),
  action: Type.String(),
  before: Type.Optional(Type.Any()),
  after: Type.Optional(Type.Any()),
  caller: Type.Optional(Type.Any()),
}
const status = field(Type.Union([Type.Literal('draft'), Type.Literal('sent')]), { default: 'draft' })
const moment = Type.Optional(Type.String({ format: 'date-time' }))

/** `ofChanges`: the ids of the tables of changes. */
function modelOf(id: IdDeclaration, ofChanges: IdDeclaration) {
  return defineResources({
    person: { id, fields: { name: Type.String() } },
    letter: {
      id,
      fields: {
        title: Type.String(),
        status,
        number: Type.Optional(Type.Integer()),
        createdAt: moment,
        updatedAt: moment,
      },
      relations: { createdBy: knows.one('person'), sheets: owns.many('sheet') },
    },
    sheet: { id, fields: { text: Type.String() }, relations: { letter: ownedBy('letter') } },
    change: { id: ofChanges, fields: change },
    task: { id: ofChanges, fields: change },
  })
}

const rulesFor = {
  letter: [
    timestamps(),
    stamps({ createdById: 'id' }),
    set({ title: () => 'set' }),
    transitions('status', { draft: ['sent'], sent: [] }),
    numbers('number'),
    audit('change'),
    outbox('task'),
  ],
  sheet: [audit('change'), outbox('task')],
}

for (const { title, id, next } of allKinds()) {
  describeOnBoth(`ready-made rules, and ids: ${title}`, (database) => {
    let personId: unknown
    const model = modelOf(id, next === undefined ? id : 'integer')
    const service = useApp(database, model, withRules(rulesFor, { caller: () => ({ id: personId }) }))
    const withId = (body: object) => ({ ...(next && { id: next() }), ...body })

    test('write their rows', async () => {
      personId = undefined
      personId = (await service.add('/api/person', withId({ name: 'Ada' }))).id
      const letter = await service.add('/api/letter', withId({ sheets: [withId({ text: 'a' })] }))
      expect(letter).toMatchObject({ title: 'set', status: 'draft', number: 1, createdById: personId })
      const path = `/api/letter/${encodeURIComponent(letter.id)}`
      expect((await service.patch(path, { status: 'sent' })).body).toMatchObject({ status: 'sent' })
      expect((await service.delete(path)).status).toBe(204)
      const changes = (await service.read('/api/change?limit=100')).rows
      const short = changes.map((one: { action: string; resource: string }) => `${one.action} ${one.resource}`)
      expect(short.sort()).toEqual(['Add letter', 'Add sheet', 'Delete letter', 'Delete sheet', 'Edit letter'])
      const taken: unknown[] = []
      await readOutbox(service.db, 'task', async (rows) => void taken.push(...rows.map(({ recordId }) => recordId)))
      expect(taken.filter((one) => one === String(letter.id)).length).toBeGreaterThanOrEqual(3)
      expect((await service.read('/api/task')).count).toBe(0)
    })
  })
}

describeOnBoth('a table of changes', (database) => {
  test('is refused at start where clients give its ids, and never blamed on them', async () => {
    const open = await database.open()
    const rules = { letter: audit('change') }
    for (const kind of ['text', { kind: 'integer', assign: 'client' }] as const) {
      const resources = modelOf('integer', kind)
      expect(() => createStore({ db: open.db, resources, rules })).toThrow(
        /letter.*audit: clients give the ids of change/s,
      )
    }
    const resources = defineResources({ letter: { fields: { title: Type.String() } } })
    await createTables(open.db, resources)
    await sql`create table change (id varchar(36) primary key not null, at text)`.execute(open.db)
    const columns = ['resource', 'recordId', 'action', 'before', 'after', 'caller'] as const
    for (const column of columns) await open.db.schema.alterTable('change').addColumn(column, 'text').execute()
    const letters = createStore({ db: open.db, resources, rules }).resource('letter')
    await expect(letters.create({ title: 'a' })).rejects.toThrow(/audit: the table 'change' does not take the row/)
    expect((await letters.list()).count).toBe(0)
    await open.close()
  })
})
