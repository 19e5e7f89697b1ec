import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Type } from '@sinclair/typebox'
import Fastify, { type FastifyInstance } from 'fastify'
import {
  type CrudOptions,
  crudPlugin,
  type Descriptors,
  defineResources,
  introspect,
  type Model,
  ownedBy,
  owns,
  set,
} from 'fastify-crud'
import { sql } from 'kysely'
import { afterEach, describe, expect, test } from 'vitest'
import { databases, type OpenDatabase } from '../../../../../test/support/databases.ts'
import { run } from '../../../../tables/test/commands/run.ts'
import { ddlFor, runDdl } from './introspected-service.ts'

type PolicyArguments = { eb(column: string, operator: string, value: unknown): unknown; my(name: string): unknown }

/** What an author adds to introspected descriptors: access, and values that Rails itself gave to columns. */
const additions = {
  caller: ({ headers }) => ({ userId: Number(headers['x-user'] ?? 0) }),
  policies: {
    ...Object.fromEntries(
      [
        'active_storage_attachments',
        'active_storage_blobs',
        'comments',
        'memberships',
        'tags',
        'tags_tasks',
        'tasks',
        'users',
      ].map((key) => [key, true]),
    ),
    projects: ({ eb, my }: PolicyArguments) => eb('owner_id', '=', my('userId')),
  },
  rules: Object.fromEntries(
    ['projects', 'tasks'].map((key) => [
      key,
      [
        set({ created_at: ({ now }) => now.toISOString() }),
        set({ updated_at: ({ now }) => now.toISOString() }, { on: 'change' }),
      ],
    ]),
  ),
} as Pick<CrudOptions, 'caller' | 'policies' | 'rules'>

const opened: { close(): Promise<unknown> }[] = []
afterEach(async () => {
  for (const one of opened.splice(0).reverse()) await one.close()
})

async function serve({ db }: OpenDatabase, resources: Model): Promise<FastifyInstance> {
  const app = Fastify()
  opened.push(app)
  await app.register(crudPlugin, { db, resources, ...additions })
  await app.ready()
  return app
}

async function send(
  app: FastifyInstance,
  user: number,
  method: 'GET' | 'POST' | 'PUT' | 'PATCH',
  url: string,
  payload?: object,
) {
  const answer = await app.inject({ method, url, headers: { 'x-user': String(user) }, ...(payload && { payload }) })
  return { status: answer.statusCode, body: answer.json() }
}

describe.each(databases)('a database of Rails ($name)', (database) => {
  test('is introspected, served with policies and rules, grows by two migrations, and is checked in CI', async () => {
    const open = await database.open()
    opened.push(open)
    await runDdl(open, ddlFor('rails', database.name))
    for (const id of [1, 2]) {
      await sql`insert into users (id, email, created_at, updated_at)
        values (${sql.lit(id)}, ${`${id}@example.com`}, '2026-01-01 08:00:00', '2026-01-01 08:00:00')`.execute(open.db)
    }
    const { resources: first, source } = await introspect(open.db)

    const app = await serve(open, first)
    const made = await send(app, 1, 'POST', '/api/projects', { name: 'Ark', owner_id: 1 })
    expect([made.status, made.body.created_at]).toEqual([201, made.body.updated_at])
    const project = `/api/projects/${made.body.id}`
    expect(await send(app, 1, 'PUT', project, made.body)).toEqual({ status: 200, body: made.body })
    expect((await send(app, 2, 'GET', project)).status).toBe(404)
    expect((await send(app, 1, 'POST', '/api/tasks', { title: 'Wood', project_id: made.body.id })).status).toBe(201)

    const second = withPriorityAndSteps(first)
    await expect(serve(open, second)).rejects.toThrow(/the table steps is missing[\s\S]*tasks\.priority is missing/)
    await sql`alter table tasks add column priority integer not null default 0`.execute(open.db)
    const [id, key] = database.name === 'postgres' ? ['bigserial', 'bigint'] : ['integer', 'integer']
    await sql
      .raw(
        `create table steps (id ${id} primary key, text text not null, task_id ${key} not null references tasks (id))`,
      )
      .execute(open.db)
    const grown = await serve(open, second)
    const { body: tasks } = await send(grown, 1, 'GET', '/api/tasks')
    expect(tasks.rows).toMatchObject([{ title: 'Wood', priority: 0, steps: [] }])
    const url = `/api/tasks/${tasks.rows[0].id}`
    const changed = await send(grown, 1, 'PATCH', url, { priority: 3, steps: [{ text: 'Saw' }] })
    expect(changed.body).toMatchObject({ title: 'Wood', priority: 3, steps: [{ text: 'Saw' }] })

    const folder = await mkdtemp(join(import.meta.dirname, '.printed-'))
    opened.push({ close: () => rm(folder, { recursive: true }) })
    await writeFile(join(folder, 'resources.js'), source)
    const checked = await run(['check', '--db', open.location, '--resources', 'resources.js'], folder)
    expect([checked.code, checked.err]).toEqual([0, ''])
    await sql`alter table tasks drop column title`.execute(open.db)
    const broken = await run(['check', '--db', open.location, '--resources', 'resources.js'], folder)
    expect(broken.code).toBe(1)
    expect(broken.out).toContain('tasks.title is missing')
  })
})

/** The descriptors as the author writes them for the next release. */
function withPriorityAndSteps({ descriptors }: Model): Model {
  const { tasks, ...others } = descriptors
  const next: Descriptors = {
    ...others,
    tasks: {
      ...tasks,
      fields: { ...tasks?.fields, priority: Type.Integer({ default: 0 }) },
      relations: { ...tasks?.relations, steps: owns.many('steps') },
    },
    steps: { fields: { text: Type.String() }, relations: { task: ownedBy('tasks', { foreignKey: 'task_id' }) } },
  }
  return defineResources(next as never) as Model
}
