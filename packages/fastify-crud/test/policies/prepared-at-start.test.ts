import { Type } from '@sinclair/typebox'
import Fastify from 'fastify'
import { checkExpressions, createTables, crudPlugin, defineResources, ownedBy, owns } from 'fastify-crud'
import { openPostgres } from 'fastify-crud/postgres'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { OpenDatabase } from '../../../../test/support/databases.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import { tickets } from './models/tickets.ts'
import { caller, type Policies } from './support/as-caller.ts'

/** What is wrong with an expression only the database knows. */
const wrong: Readonly<Record<string, Policies[string]>> = {
  'a column that is not there': ({ eb }) => eb('nope' as never, '=', 1 as never),
  'a column of the table by its name': ({ eb }) => eb('ticket.nope' as never, '=', 1 as never),
  'a column in a subquery': ({ eb }) =>
    eb.exists(
      eb
        .selectFrom('comment')
        .select('comment.nope' as never)
        .whereRef('comment.ticketId', '=', 'ticket.id'),
    ),
  'a table that is not there': ({ eb }) => eb.exists(eb.selectFrom('nope' as never).select('id' as never)),
  'a function that is not there': ({ eb }) => eb(eb.fn('crud_nope', ['title']), '=', 'x'),
  'SQL text': () => sql<boolean>`nope = 1`,
  'what is no SQL': () => sql<boolean>`title = = 1`,
  'too many columns': () => sql<boolean>`title in (select id, title from ticket)`,
  'an id of another policy': ({ eb, can }) => can('View', 'ticket', eb.ref('nope' as never)),
}

describeOnBoth('policies at start', (database) => {
  let open: OpenDatabase

  beforeAll(async () => {
    open = await database.open()
    await createTables(open.db, tickets)
  })
  afterAll(() => open.close())

  async function start(policies: unknown, resources: object = tickets): Promise<void> {
    const app = Fastify()
    try {
      await app.register(crudPlugin, { db: open.db, resources, caller, policies, tables: 'warn' } as never)
      await app.ready()
    } finally {
      await app.close()
    }
  }

  test.each(Object.entries(wrong))(
    'fail it, with the place and the words of the database, for %s',
    async (title, rule) => {
      const resource = title.startsWith('an id') ? 'comment' : 'ticket'
      const policies = { ticket: true, [resource]: rule }
      await expect(start(policies)).rejects.toThrow(new RegExp(`^policies\\.${resource}: the database says: `))
      await expect(start({ ...policies, [resource]: { member: { View: true, Delete: rule } } })).rejects.toThrow(
        new RegExp(`^policies\\.${resource}\\.member\\.Delete: the database says: `),
      )
    },
  )

  test('fail it with all that is wrong at once', async () => {
    const rule = wrong['a column that is not there']
    const policies = {
      ticket: { View: rule, Add: true, Edit: { before: true, after: rule }, Delete: true },
      comment: rule,
    }
    const message = await start(policies).then(
      () => '',
      (error: Error) => error.message,
    )
    expect(message.split('\n').map((line) => line.split(': ')[0])).toEqual([
      'policies.ticket.Edit.after, policies.ticket.View',
      'policies.comment',
    ])
  })

  test('may be right, and then nothing is run', async () => {
    await open.db.insertInto('ticket').values({ title: 't', state: 'draft', authorId: 1 }).execute()
    const policies: Policies = {
      ticket: ({ eb, my }) => eb.and([eb('authorId', '=', my('id')), sql<boolean>`1 / (select 0) = 1`]),
      comment: { member: ({ eb, can }) => can('Edit', 'ticket', eb.ref('ticketId')) },
    }
    const sent = await open.statements.record(() => start(policies))
    expect(sent.filter((statement) => statement.includes('1 / (select 0)'))).toHaveLength(1)
  })

  test('are checked for a store, too', async () => {
    const policies: Policies = { ticket: wrong['a table that is not there'] }
    await expect(checkExpressions({ db: open.db, resources: tickets, policies })).rejects.toThrow(/^policies\.ticket: /)
    await expect(
      checkExpressions({ db: open.db, resources: tickets, policies: { ticket: true } }),
    ).resolves.toBeUndefined()
    await expect(checkExpressions({ db: open.db, resources: tickets })).resolves.toBeUndefined()
  })

  test.each(['nope', 'comment.nope'])('computed fields fail it as well: %s', async (name) => {
    const model = defineResources({
      ticket: {
        fields: { title: Type.String() },
        relations: { comments: owns.many('comment') },
        computed: {
          loud: { schema: Type.String(), value: ({ eb }) => eb.fn('upper', ['title']) },
          wrong: {
            schema: Type.Integer(),
            value: ({ eb, related }) => eb.selectFrom(related('comments').as('comment')).select(name),
          },
        },
      },
      comment: { fields: { text: Type.String() }, relations: { ticket: ownedBy('ticket') } },
    })
    await expect(start(undefined, model)).rejects.toThrow(/^ticket\.computed\.wrong: the database says: .*nope/)
  })
})

test('a database that cannot be reached does not stop the start, and the log says so', async () => {
  await using db = openPostgres('postgres://nobody@127.0.0.1:1/none', { connectionTimeoutMillis: 500 })
  const lines: string[] = []
  const app = Fastify({ logger: { level: 'error', stream: { write: (line: string) => void lines.push(line) } } })
  await app.register(crudPlugin, {
    db,
    resources: tickets,
    caller,
    policies: { ticket: ({ eb }) => eb('title', '=', 'x') },
  })
  await app.ready()
  await app.close()
  expect(lines.join()).toContain('policies and computed fields could not be checked')
})
