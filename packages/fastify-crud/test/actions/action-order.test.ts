import { Type } from '@sinclair/typebox'
import { type AccessQuestion, defineActions, defineResources, openApiOf, ownedBy, owns } from 'fastify-crud'
import { beforeEach, expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import { expectProblem } from '../../../../test/support/problem.ts'

const resources = defineResources(
  {
    org: { fields: { name: Type.String() } },
    note: {
      fields: { text: Type.String(), author: Type.String({ default: 'ada' }) },
      relations: { lines: owns.many('line') },
    },
    line: { fields: { text: Type.String() }, relations: { note: ownedBy('note') } },
  },
  { tenant: { resource: 'org' } },
)

const steps: string[] = []

const actions = defineActions(resources, {
  note: {
    sign: {
      asks: 'Edit',
      body: Type.Object({ by: Type.String() }),
      prepare({ tenant }) {
        steps.push(`prepare for ${tenant}`)
        return { mark: '!' }
      },
      async run({ id, body, prepared, store, system, tenant }) {
        steps.push(`run for ${tenant}`)
        const { count } = await system.note.list()
        await store.note.patch(id, { text: `${body.by}${prepared.mark} of ${count}` })
      },
    },
    count: {
      on: 'list',
      asks: 'Edit',
      answer: Type.Array(Type.Integer()),
      run: async ({ store, system }) => [(await store.note.list()).count, (await system.note.list()).count],
    },
  },
})

describeOnBoth('an action of a tenant’s record', (database) => {
  let refused: string | undefined
  const service = useApp(database, resources, {
    plugin: {
      actions: actions as never,
      caller: ({ headers }) => ({ id: headers['x-user'] ?? 'ada' }),
      tenant: (_caller: unknown, request: { headers: Record<string, unknown> }) =>
        request.headers['x-org'] === undefined ? undefined : Number(request.headers['x-org']),
      authorize(_, { action, operation }: AccessQuestion) {
        steps.push(`authorize ${action} ${operation}`)
        return `${action} ${operation}` !== refused
      },
      policies: {
        org: true,
        note: {
          View: true,
          Add: true,
          Edit: ({ eb, my }: never) =>
            (eb as never as CallableFunction)('author', '=', (my as never as CallableFunction)('id')),
        },
      } as never,
    },
  })
  const send = (path: string, body?: unknown, headers: Record<string, string> = {}) =>
    service.request('POST', path, body, { 'x-org': '1', ...headers })
  let path: string

  beforeEach(async () => {
    refused = undefined
    await service.db
      .insertInto('org')
      .values([1, 2].map((id) => ({ id, name: String(id) })))
      .execute()
    const { body } = await send('/api/note', { text: 'a' })
    await send('/api/note', { text: 'b' }, { 'x-org': '2' })
    path = `/api/note/${body.id}/$act/sign`
    steps.length = 0
  })

  test('asks `authorize`, checks the body, prepares, and then runs for the tenant', async () => {
    const { status, body } = await send(path, { by: 'Ada' })
    expect([status, body.text]).toEqual([200, 'Ada! of 1'])
    expect(steps.filter((step) => !step.startsWith('authorize View'))).toEqual([
      'authorize Edit sign',
      'prepare for 1',
      'run for 1',
    ])
  })

  test('prepares nothing where `authorize` or the body refuses, and no tenant is 403', async () => {
    expectProblem(await send(path, { by: 7 }), { code: 'CRUD_ERR_INVALID', pointers: ['/by'] })
    refused = 'Edit sign'
    expectProblem(await send(path, { by: 7 }), { code: 'CRUD_ERR_FORBIDDEN' })
    expectProblem(await service.post(path, { by: 'Ada' }), { code: 'CRUD_ERR_FORBIDDEN' })
    expect(steps.filter((step) => /prepare|run/.test(step))).toEqual([])
  })

  test('is not there for another tenant, and does not run', async () => {
    expectProblem(await send(path, { by: 'Eve' }, { 'x-org': '2' }), { code: 'CRUD_ERR_NOT_FOUND' })
    expect(steps.filter((step) => step.startsWith('run'))).toEqual([])
  })

  test('asks the policy of the record, and one of the collection asks none', async () => {
    const bob = { 'x-user': 'bob' }
    expectProblem(await send(path, { by: 'Bob' }, bob), { code: 'CRUD_ERR_FORBIDDEN' })
    expect(steps).not.toContain('run for 1')
    expect((await send('/api/note/$act/count', undefined, bob)).body).toEqual([1, 1])
  })

  test('is in the document, by its name', () => {
    const { paths } = openApiOf(resources, { actions }) as unknown as {
      paths: Record<string, Record<string, { operationId: string }>>
    }
    expect(paths['/api/note/{id}/$act/sign']?.post?.operationId).toBe('note.sign')
    expect(paths['/api/note/$act/count']?.post?.operationId).toBe('note.count')
  })
})
