import { createClient, ServiceError } from '@fastify-crud/client'
import { defineResources, field, ownedBy, owns, type Policies } from '@fastify-crud/core'
import { Type } from '@sinclair/typebox'
import { expect, test } from 'vitest'
import { describeOnBoth } from '../../../test/support/describe-on-databases.ts'
import { useService } from './use-service.ts'

const text = Type.String()

const firms = defineResources(
  {
    firm: { id: 'uuid', fields: { name: text } },
    project: {
      id: 'bigint',
      fields: { name: text, budget: field(Type.Integer(), { default: 0, access: { View: ['boss'], Edit: ['boss'] } }) },
      relations: { tasks: owns.many('task') },
    },
    task: { id: 'uuid', topLevel: true, fields: { text }, relations: { project: ownedBy('project') } },
    secret: { fields: { text } },
  },
  { tenant: { resource: 'firm' } },
)

const policies: Policies<typeof firms> = {
  firm: { View: true },
  project: { clerk: { View: true, Add: true }, boss: true },
  secret: { boss: true },
}

const INK = '44444444-4444-7444-8444-444444444444'
const NIB = '99999999-9999-7999-8999-999999999999'

describeOnBoth('a client of a tenant, with the rights of a role', (database) => {
  const service = useService(database, firms, {
    policies,
    caller: ({ headers }: { headers: Record<string, unknown> }) => ({
      id: headers['x-role'],
      roles: [headers['x-role']],
    }),
    tenant: (_: unknown, { headers }: { headers: Record<string, unknown> }) => headers['x-firm'],
  } as never)
  const as = (role: string, firm: string) =>
    createClient<typeof firms>({ url: service.url, headers: { 'x-role': role, 'x-firm': firm } })

  test('sees and changes what it may', async () => {
    await service.db
      .insertInto('firm')
      .values([
        { id: INK, name: 'Ink' },
        { id: NIB, name: 'Nib' },
      ])
      .execute()
    const [boss, clerk, other] = [as('boss', INK), as('clerk', INK), as('boss', NIB)]
    const project = await boss.project.create({ name: 'a', budget: 7, tasks: [{ text: 'x' }] })
    expect(project).toMatchObject({ id: expect.any(String), budget: 7 })
    const seen = await clerk.project.find(project.id)
    expect(seen).toEqual({ id: project.id, name: 'a', tasks: project.tasks, $etag: expect.any(String) })
    expect(seen.$etag).not.toBe(project.$etag)
    await expect(clerk.project.patch(seen, { name: 'b' })).rejects.toMatchObject({ status: 403 })
    expect((await clerk.project.list({ etags: true })).rows).toEqual([seen])
    await expect(other.project.find(project.id)).rejects.toBeInstanceOf(ServiceError)
    const [task] = (await boss.task.list({ etags: true })).rows
    expect(await boss.task.patch(task as NonNullable<typeof task>, { text: 'y' })).toMatchObject({
      text: 'y',
      projectId: project.id,
    })
    expect(await other.task.list()).toMatchObject({ count: 0 })
    expect(Object.keys((await clerk.model()).resources)).toEqual(['firm', 'project', 'task'])
    await expect(clerk.secret.list()).rejects.toThrow("the service has no resource 'secret' for this caller")
    expect(await boss.secret.list()).toMatchObject({ count: 0 })
  })
})
