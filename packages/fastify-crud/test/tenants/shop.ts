import { Type } from '@sinclair/typebox'
import { countOf, defineResources, type Id, knows, neededBy, needs, ownedBy, owns } from 'fastify-crud'
import { beforeEach } from 'vitest'
import { type TestApp, useApp } from '../../../../test/support/app.ts'
import type { TestDatabase } from '../../../../test/support/databases.ts'

/** Projects of organisations, with ids of several kinds: two organisations may use the same. */
export const resources = defineResources(
  {
    org: { id: 'uuid', fields: { name: Type.String() } },
    country: {
      id: 'text',
      fields: { name: Type.String() },
      tenant: false,
      public: true,
      relations: { projects: neededBy.many('project') },
    },
    project: {
      id: 'text',
      groups: true,
      fields: { name: Type.String() },
      relations: {
        org: needs.one('org'),
        country: needs.one('country', { optional: true }),
        tasks: owns.many('task'),
        lead: knows.one('member'),
      },
      unique: [['name']],
      computed: {
        taskCount: countOf('tasks'),
        memberCount: {
          schema: Type.Integer(),
          value: ({ eb }) => eb.selectFrom('member').select((of) => of.fn.countAll().as('count')),
        },
      },
    },
    task: {
      id: 'uuid',
      topLevel: true,
      groups: true,
      fields: { title: Type.String() },
      relations: { project: ownedBy('project'), labels: knows.many('label') },
    },
    label: { id: 'text', fields: { name: Type.String() } },
    member: { fields: { email: Type.String() } },
  },
  { tenant: { resource: 'org' } },
)

/** Two organisations. */
export const FOUR = '44444444-4444-7444-8444-444444444444'
export const NINE = '99999999-9999-7999-8999-999999999999'

export interface Shop {
  readonly service: TestApp
  /** A request of an organisation. */
  request(tenant: string | undefined, method: string, path: string, body?: unknown): ReturnType<TestApp['request']>
  /** POST that has to succeed; returns the record. */
  add(tenant: string, path: string, body: unknown): ReturnType<TestApp['add']>
}

/** The service, with both organisations and one country. */
export function useShop(database: TestDatabase, plugin: Parameters<typeof useApp>[2] = {}): Shop {
  const service = useApp(database, resources, {
    ...plugin,
    plugin: {
      tenant: (_caller: unknown, request: { headers: Record<string, unknown> }) => request.headers['x-org'] as Id,
      ...plugin.plugin,
    },
  })
  beforeEach(async () => {
    const { db } = service
    await db
      .insertInto('org')
      .values([
        { id: FOUR, name: 'Four' },
        { id: NINE, name: 'Nine' },
      ])
      .execute()
    await db.insertInto('country').values({ id: 'AT', name: 'Austria' }).execute()
  })
  const request: Shop['request'] = (tenant, method, path, body) =>
    service.request(method, path, body, tenant === undefined ? {} : { 'x-org': tenant })
  return {
    service,
    request,
    async add(tenant, path, body) {
      const answer = await request(tenant, 'POST', path, body)
      if (answer.status !== 201) throw new Error(JSON.stringify(answer.body))
      return answer.body
    },
  }
}
