import { Type } from '@sinclair/typebox'
import { defineResources, ownedBy, owns } from 'fastify-crud'
import { sql } from 'kysely'
import { beforeEach, expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnBoth, describeOnDatabases } from '../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../test/support/json-body.ts'
import { expectProblem } from '../../../../test/support/problem.ts'
import { missingId, withIntegerIds } from '../../../../test/support/test-ids.ts'

// Moves where the tables are others than those of a new model.

const name = Type.String()
const unknown = (pointer: string) => ({ code: 'CRUD_ERR_UNKNOWN_REFERENCE', pointers: [pointer] }) as const

const boards = defineResources({
  board: { fields: { name }, relations: { lists: owns.many('list') } },
  list: {
    topLevel: true,
    fields: { name },
    relations: { board: ownedBy('board', { moves: true, constraint: false }), items: owns.many('item') },
  },
  item: { topLevel: true, fields: { name }, relations: { list: ownedBy('list', { moves: true, constraint: false }) } },
})

const ROUNDS = 8

describeOnDatabases('moves without foreign keys in the database', (database) => {
  const service = useApp(database, boards)
  let from: JsonBody
  let to: JsonBody

  beforeEach(async () => {
    from = await service.add('/api/board', { name: 'from', lists: [{ name: 'l', items: [{ name: 'i' }] }] })
    to = await service.add('/api/board', { name: 'to', lists: [{ name: 'm' }] })
  })

  /** Rows whose owner is not there. */
  const orphans = async (): Promise<number> => {
    const { rows } = await sql<{ count: number | string }>`
      select count(*) as count from (
        select 1 from list where "boardId" not in (select id from board)
        union all select 1 from item where "listId" not in (select id from list)
      ) as orphan`.execute(service.db)
    return Number(rows[0]?.count)
  }

  test('find the new owner, and refuse one that is not there', async () => {
    const [list] = from.lists
    await service.refuse('PATCH', `/api/list/${list.id}`, { boardId: missingId('board') }, unknown('/boardId'))
    expect((await service.patch(`/api/list/${list.id}`, { boardId: to.id })).status).toBe(200)
    expect((await service.read(`/api/board/${to.id}`)).lists).toMatchObject([{ items: [{ name: 'i' }] }, { name: 'm' }])
  })

  test('leave no record behind when the new owner, or one above it, is deleted at the same time', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const [list] = from.lists
      const [target] = to.lists
      const board = await service.add('/api/board', { name: 'b', lists: [{ name: 'n' }] })
      const answers = await Promise.all([
        service.patch(`/api/list/${target.id}`, { boardId: board.id }),
        service.patch(`/api/item/${list.items[0].id}`, { listId: board.lists[0].id }),
        service.delete(`/api/board/${board.id}`),
      ])
      expect(answers[2]?.status).toBe(204)
      for (const { status } of answers.slice(0, 2)) expect([200, 400]).toContain(status)
      expect(await orphans()).toBe(0)
      from = await service.add('/api/board', { name: 'from', lists: [{ name: 'l', items: [{ name: 'i' }] }] })
      to = await service.add('/api/board', { name: 'to', lists: [{ name: 'm' }] })
    }
  })
})

const tickets = withIntegerIds(
  defineResources(
    {
      org: { fields: { name } },
      project: { fields: { name }, relations: { epics: owns.many('epic'), stories: owns.many('story') } },
      epic: {
        table: 'ticket',
        where: { kind: 'epic' },
        topLevel: true,
        fields: { name },
        relations: { project: ownedBy('project', { moves: true }) },
        unique: [['project', 'name']],
      },
      story: {
        table: 'ticket',
        where: { kind: 'story' },
        topLevel: true,
        fields: { name },
        relations: { project: ownedBy('project', { moves: true }), steps: owns.many('step', { order: 'position' }) },
        unique: [['project', 'name']],
      },
      step: { topLevel: true, fields: { name }, relations: { story: ownedBy('story', { moves: true }) } },
    },
    { tenant: { resource: 'org' } },
  ),
)

describeOnBoth('moves in a table that several resources of a tenant share', (database) => {
  const service = useApp(database, tickets, {
    plugin: {
      tenant: (_caller: unknown, request: { headers: Record<string, unknown> }) => Number(request.headers['x-org']),
    },
  })
  const send = (method: string, path: string, body?: unknown, org = 1) =>
    service.request(method, path, body, { 'x-org': String(org) })
  let from: JsonBody
  let to: JsonBody
  let foreign: JsonBody

  beforeEach(async () => {
    await service.db
      .insertInto('org')
      .values([1, 2].map((id) => ({ id, name: String(id) })))
      .execute()
    const project = (org: number) =>
      send(
        'POST',
        '/api/project',
        { name: 'p', epics: [{ name: 'e' }], stories: [{ name: 's', steps: [{ name: 'a' }] }] },
        org,
      )
    from = (await project(1)).body
    to = (await project(1)).body
    foreign = (await project(2)).body
  })

  test('take one kind of its records, and meet its own unique values there', async () => {
    const story = `/api/story/${from.stories[0].id}`
    expectProblem(await send('PATCH', story, { projectId: to.id }), { code: 'CRUD_ERR_NOT_UNIQUE' })
    // The epic `e` is of another kind, so the story may be called so.
    const moved = await send('PATCH', story, { name: 'e', projectId: to.id })
    expect(moved).toMatchObject({ status: 200, body: { name: 'e', projectId: to.id, steps: [{ name: 'a' }] } })
    expect((await send('GET', `/api/project/${from.id}`)).body).toMatchObject({ epics: [{ name: 'e' }], stories: [] })
  })

  test('go to an owner of the right kind and of the tenant', async () => {
    const step = `/api/step/${from.stories[0].steps[0].id}`
    for (const id of [from.epics[0].id, foreign.stories[0].id])
      expectProblem(await send('PATCH', step, { storyId: id }), unknown('/storyId'))
    expect((await send('PATCH', step, { storyId: to.stories[0].id })).status).toBe(200)
    const [story] = (await send('GET', `/api/project/${to.id}`)).body.stories
    expect(story.steps.map((one: JsonBody) => one.name)).toEqual(['a', 'a'])
    expect((await send('PATCH', `/api/epic/${from.stories[0].id}`, { projectId: to.id })).status).toBe(404)
  })
})
