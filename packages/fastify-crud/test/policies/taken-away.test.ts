import { Type } from '@sinclair/typebox'
import { defineResources, knows, ownedBy, owns } from 'fastify-crud'
import { type Kysely, sql } from 'kysely'
import { beforeEach, describe, expect, test } from 'vitest'
import { type Answer, useApp } from '../../../../test/support/app.ts'
import { setups } from '../../../../test/support/databases.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../test/support/json-body.ts'
import { otherWriter } from '../../../../test/support/other-writer.ts'
import { expectProblem } from '../../../../test/support/problem.ts'
import { asCaller, caller, headersOf, type Policies } from './support/as-caller.ts'

const notFound = { code: 'CRUD_ERR_NOT_FOUND' } as const
const forbidden = { code: 'CRUD_ERR_FORBIDDEN' } as const
const unknown = { code: 'CRUD_ERR_UNKNOWN_REFERENCE' } as const

const documents = defineResources({
  document: {
    fields: {
      text: Type.String(),
      code: Type.Optional(Type.String()),
      locked: Type.Boolean({ default: false }),
    },
    relations: {
      members: owns.many('member'),
      pages: owns.many('page', { order: 'place' }),
      marks: owns.many('mark', { order: 'place' }),
      folder: knows.one('folder'),
      topics: knows.many('topic'),
    },
    unique: [['code']],
  },
  member: {
    fields: { userId: Type.Integer(), may: Type.String({ default: 'edit' }) },
    relations: { document: ownedBy('document') },
  },
  page: {
    fields: { text: Type.String() },
    relations: { document: ownedBy('document'), notes: owns.many('note') },
  },
  note: { fields: { text: Type.String() }, relations: { page: ownedBy('page') } },
  mark: {
    fields: { text: Type.String(), code: Type.Optional(Type.String()) },
    relations: { document: ownedBy('document') },
    unique: [['code']],
  },
  folder: { fields: { userId: Type.Integer() }, relations: {} },
  topic: { fields: { name: Type.String() }, relations: {} },
  reader: { fields: { userId: Type.Integer(), topicId: Type.Integer() }, relations: {} },
})

type Rule = Extract<Policies[string], (...given: never) => unknown>

const isMember: Rule = ({ eb, my }) =>
  eb.exists(
    eb
      .selectFrom('member')
      .select('member.id')
      .whereRef('member.documentId', '=', 'document.id')
      .where('member.userId', '=', my('id')),
  )

const isEditor: Rule = ({ eb, my }) =>
  eb.exists(
    eb
      .selectFrom('member')
      .select('member.id')
      .whereRef('member.documentId', '=', 'document.id')
      .where('member.userId', '=', my('id'))
      .where('member.may', '=', 'edit'),
  )

const policies = {
  document: { View: isMember, Add: true, Edit: { before: isEditor, after: true }, Delete: isEditor },
  folder: { View: ({ eb, my }) => eb('userId', '=', my('id')), Add: true, Edit: true, Delete: true },
  topic: {
    View: ({ eb, my }) =>
      eb.exists(
        eb
          .selectFrom('reader')
          .select('reader.id')
          .whereRef('reader.topicId', '=', 'topic.id')
          .where('reader.userId', '=', my('id')),
      ),
    Add: true,
    Edit: true,
    Delete: true,
  },
  reader: true,
  mark: true,
} as Policies

const ada = headersOf({ user: 1 })
const TOPIC = 1

describe.each(setups.filter(({ name }) => name === 'postgres'))('a right that is taken away ($title)', (database) => {
  const service = useApp(database, documents, { plugin: { caller, policies } })
  let document: JsonBody
  let path: string
  let folder: JsonBody

  beforeEach(async () => {
    folder = (await service.request('POST', '/api/folder', { userId: 1 }, ada)).body
    await sql`insert into topic (id, name) values (1, 't')`.execute(service.db)
    await sql`insert into reader ("userId", "topicId") values (1, 1)`.execute(service.db)
    const body = {
      text: 'old',
      members: [{ userId: 1 }, { userId: 2 }],
      pages: [{ text: 'p', notes: [{ text: 'n' }] }],
      marks: [{ text: 'm' }],
    }
    const answer = await service.request('POST', '/api/document', body, ada)
    document = answer.body
    expect(answer.status).toBe(201)
    path = `/api/document/${document.id}`
  })

  const requests = (): readonly (readonly [method: string, path: string, body?: unknown])[] => {
    const page = `${path}/page/${document.pages[0].id}`
    const [mark] = document.marks
    return [
      ['PATCH', path, { text: 'mine' }],
      ['PATCH', path, { text: 'mine', pages: [{ text: 'q' }] }],
      ['PATCH', path, { pages: [{ text: 'q' }] }],
      ['PATCH', path, { topics: [{ id: TOPIC }] }],
      ['PUT', path, { ...document, text: 'mine' }],
      ['DELETE', path],
      ['POST', `${path}/page`, { text: 'q' }],
      ['PATCH', `${path}/mark/${mark.id}`, { $before: null }],
      ['POST', `${path}/mark`, { text: 'o', $before: mark.id }],
      ['PATCH', path, { marks: [{ id: mark.id, $before: null }] }],
      ['PATCH', page, { text: 'q' }],
      ['PUT', page, { text: 'q' }],
      ['DELETE', page],
      ['POST', `${page}/note`, { text: 'q' }],
      ['PATCH', `${page}/note/${document.pages[0].notes[0].id}`, { text: 'q' }],
      ['DELETE', `${page}/note/${document.pages[0].notes[0].id}`],
    ]
  }

  /** Sends each request while somebody else has the document's lock, and takes a right away meanwhile. */
  async function refuseEach(
    takeAway: string,
    giveBack: string,
    by: 'holder' | 'another',
    expected: typeof notFound | typeof forbidden,
  ) {
    for (const [method, at, body] of requests()) {
      const holder = await otherWriter(service.database)
      await holder.run(`update document set text = 'other' where id = ${document.id}`)
      const answer = service.request(method, at, body, ada)
      await holder.untilAwaited()
      if (by === 'holder') await holder.run(takeAway)
      else await sql.raw(takeAway).execute(service.db)
      await holder.end(by === 'holder' ? 'commit' : 'rollback')
      expectProblem(await answer, expected)
      const left = { document: by === 'holder' ? 'other' : 'old', page: 'p', note: 'n' }
      expect(await stored(), `${method} ${at}`).toEqual(left)
      await sql.raw(giveBack).execute(service.db)
      await sql.raw(`update document set text = 'old'`).execute(service.db)
    }
  }

  /** The texts in all tables. */
  async function stored(): Promise<unknown> {
    const textsOf = (table: string) => sql`(select string_agg(text, ' ') from ${sql.table(table)})`
    const { rows } =
      await sql`select ${textsOf('document')} as document, ${textsOf('page')} as page, ${textsOf('note')} as note`.execute(
        service.db,
      )
    return rows[0]
  }

  for (const by of ['holder', 'another'] as const) {
    const title = by === 'holder' ? 'the one that a write waits for' : 'another, while a write waits'
    test(`by ${title}: 404 if it is the right to see the record`, async () => {
      const [remove, restore] = [`delete from member where "userId" = 1`, addMember()]
      await refuseEach(remove, restore, by, notFound)
    })

    test(`by ${title}: 403 if it is the right to edit and delete it`, async () => {
      await refuseEach(`update member set may = 'read'`, `update member set may = 'edit'`, by, forbidden)
    })
  }

  const addMember = () =>
    `insert into member (id, "documentId", "userId", may) values (${document.members[0].id}, ${document.id}, 1, 'edit')`

  test('from a record that a body refers to: 400, as if it were not there', async () => {
    for (const [body, takeAway, giveBack, pointer] of [
      [{ folderId: folder.id }, 'update folder set "userId" = 2', 'update folder set "userId" = 1', '/folderId'],
      [{ topics: [{ id: TOPIC }] }, 'update reader set "userId" = 2', 'update reader set "userId" = 1', '/topics/0/id'],
    ] as const) {
      for (const [method, at, sent] of [
        ['PATCH', path, body],
        ['PUT', path, { ...document, ...body }],
      ] as const) {
        const holder = await otherWriter(service.database)
        await holder.run(`select 1 from document where id = ${document.id} for update`)
        const answer = service.request(method, at, sent, ada)
        await holder.untilAwaited()
        await sql.raw(takeAway).execute(service.db)
        await holder.end('rollback')
        expectProblem(await answer, { ...unknown, pointers: [pointer] })
        await sql.raw(giveBack).execute(service.db)
      }
    }
  })

  test('while the write waits for a value that another writer may take', async () => {
    const free = 'update member set may = \'edit\' where "userId" = 1'
    for (const [takeAway, giveBack, body, expected] of [
      ['delete from member where "userId" = 1', addMember(), {}, notFound],
      ['update member set may = \'read\' where "userId" = 1', free, {}, forbidden],
      ['update folder set "userId" = 2', 'update folder set "userId" = 1', { folderId: folder.id }, unknown],
    ] as const) {
      for (const method of ['PATCH', 'PUT']) {
        const holder = await otherWriter(service.database)
        await holder.run(`insert into document (text, code, locked) values ('x', 'taken', false)`)
        const sent = { ...(method === 'PUT' && document), ...body, code: 'taken' }
        const answer = service.request(method, path, sent, ada)
        await holder.untilAwaited()
        await sql.raw(takeAway).execute(service.db)
        await holder.end('rollback')
        expectProblem(await answer, expected)
        await sql.raw(giveBack).execute(service.db)
      }
    }
  })
})

describe.each(setups.filter(({ name }) => name === 'postgres'))('the right to say a place ($title)', (database) => {
  const service = useApp(database, documents, { plugin: { caller, policies } })

  test('is the owner’s, and 403 if it is taken away while the write waits for a value', async () => {
    const body = { text: 'old', members: [{ userId: 1 }], marks: [{ text: 'm' }, { text: 'n' }] }
    const created = (await service.request('POST', '/api/document', body, ada)).body
    const holder = await otherWriter(service.database)
    await holder.run(`insert into mark (text, code, "documentId") values ('x', 'taken', ${created.id})`)
    const at = `/api/document/${created.id}/mark/${created.marks[0].id}`
    const answer = service.request('PATCH', at, { code: 'taken', $before: null }, ada)
    await holder.untilAwaited()
    await sql`update member set may = 'read'`.execute(service.db)
    await holder.end('rollback')
    expectProblem(await answer, forbidden)
  })
})

describeOnBoth('a PATCH beside a PUT that removes its caller', (database) => {
  const service = useApp(database, documents, {
    plugin: {
      caller,
      policies: {
        ...policies,
        document: { View: isMember, Add: true, Edit: ({ eb }) => eb('locked', '=', false as never), Delete: true },
      },
    },
  })

  test('comes before it, or is refused', async () => {
    for (let round = 0; round < 60; round++) {
      const body = { text: 'old', members: [{ userId: 1 }, { userId: 2 }] }
      const created = (await service.request('POST', '/api/document', body, ada)).body
      const path = `/api/document/${created.id}`
      const put = { ...created, text: 'by PUT', members: [created.members[0]] }
      const requests: [string, unknown, Record<string, string>][] = [
        ['PUT', put, ada],
        ['PATCH', { text: 'by PATCH' }, headersOf({ user: 2 })],
      ]
      if (round % 2 === 1) requests.reverse()
      const answers = await Promise.all(requests.map(([method, sent, who]) => service.request(method, path, sent, who)))
      const [ofPut, ofPatch] = (round % 2 === 1 ? answers.reverse() : answers) as [Answer, Answer]
      expect(ofPut.status).toBe(200)
      expect([200, 404]).toContain(ofPatch.status)
      const { text, members } = (await service.request('GET', path, undefined, ada)).body
      expect({ text, members }).toEqual({ text: 'by PUT', members: put.members })
    }
  })
})

describeOnBoth('a write that gives up a right of its own caller', (database) => {
  const service = useApp(database, documents, {
    plugin: {
      caller,
      policies: {
        ...policies,
        document: {
          View: isMember,
          Add: true,
          Edit: {
            before: (on) => on.eb.and([isEditor(on as never) as never, on.eb('locked', '=', false as never)]) as never,
            after: true,
          },
          Delete: true,
        },
      } as Policies,
    },
  })
  const client = asCaller(service, { user: 1 })

  test('is done: what is asked again is a right that others have taken', async () => {
    const { body: created } = await client.post('/api/document', { text: 'd', members: [{ userId: 1 }, { userId: 2 }] })
    const path = `/api/document/${created.id}`
    expect((await client.patch(path, { text: 'e', locked: true })).body).toMatchObject({ text: 'e', locked: true })
    await client.refuse('PATCH', path, { text: 'f' }, forbidden)
    const { body: other } = await client.post('/api/document', { text: 'd', members: [{ userId: 1 }, { userId: 2 }] })
    const left = await client.put(`/api/document/${other.id}`, { ...other, members: [other.members[1]] })
    expect([left.status, left.headers['preference-applied']]).toEqual([200, 'return=minimal'])
    await client.refuse('GET', `/api/document/${other.id}`, undefined, notFound)
  })
})

describe.each(setups.filter(({ name }) => name === 'postgres'))(
  'a right that is lost while rules run ($title)',
  (database) => {
    let meanwhile: (db: Kysely<never>) => Promise<unknown> = async () => {}
    const service = useApp(database, documents, {
      plugin: {
        caller,
        policies,
        rules: { document: { afterWrite: ({ db }: { readonly db: Kysely<never> }) => meanwhile(db) } } as never,
      },
    })
    const patch = (path: string) => service.request('PATCH', path, { text: 'mine' }, ada)
    const remove = sql`delete from member where "userId" = 1`
    let path: string

    beforeEach(async () => {
      meanwhile = async () => {}
      const body = { text: 'old', members: [{ userId: 1 }, { userId: 2 }] }
      path = `/api/document/${(await service.request('POST', '/api/document', body, ada)).body.id}`
    })

    test('by somebody else: the write is refused, and undone', async () => {
      meanwhile = () => remove.execute(service.db)
      const answer = await patch(path)
      expectProblem(answer, notFound)
      expect((await sql`select text from document`.execute(service.db)).rows).toEqual([{ text: 'old' }])
    })

    test('by the rule itself: the write is done', async () => {
      meanwhile = (db) => remove.execute(db)
      expect((await patch(path)).status).toBe(200)
      expect((await sql`select text from document`.execute(service.db)).rows).toEqual([{ text: 'mine' }])
      expect((await sql`select 1 from member`.execute(service.db)).rows).toHaveLength(1)
    })
  },
)
