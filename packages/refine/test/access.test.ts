import { createClient } from '@fastify-crud/client'
import { defineActions, defineResources, field, ownedBy, owns, type Policies } from '@fastify-crud/core'
import { refineAccess, refineProvider } from '@fastify-crud/refine'
import { Type } from '@sinclair/typebox'
import { expect, test } from 'vitest'
import { describeOnBoth } from '../../../test/support/describe-on-databases.ts'
import { useService } from '../../client/test/use-service.ts'

const text = Type.String()

const firms = defineResources(
  {
    firm: { id: 'uuid', fields: { name: text } },
    project: {
      id: 'bigint',
      fields: { name: text, budget: field(Type.Integer(), { default: 0, access: { View: ['boss'], Edit: ['boss'] } }) },
      relations: { tasks: owns.many('task') },
    },
    task: { id: 'uuid', fields: { text }, relations: { project: ownedBy('project') } },
    secret: { fields: { text } },
  },
  { tenant: { resource: 'firm' } },
)

const actions = defineActions(firms, {
  project: { close: { asks: 'Delete', run: ({ store, id }) => store.project.delete(id) } },
})

const policies: Policies<typeof firms> = {
  firm: { View: true },
  project: { clerk: { View: true, Add: true }, boss: true },
  secret: { boss: true },
}

const INK = '44444444-4444-7444-8444-444444444444'
const NIB = '99999999-9999-7999-8999-999999999999'

interface Asking {
  readonly headers: Readonly<Record<string, unknown>>
}

describeOnBoth('Refine', (database) => {
  const service = useService(database, firms, {
    policies,
    actions,
    caller: ({ headers }: Asking) => ({ id: headers['x-role'], roles: [headers['x-role']] }),
    tenant: (_: unknown, { headers }: Asking) => headers['x-firm'],
  } as never)
  const as = (role: string, firm: string = INK) =>
    createClient<typeof firms, typeof actions>({ url: service.url, headers: { 'x-role': role, 'x-firm': firm } })

  test.each([
    ['list', 'project', true, true],
    ['show', 'project', true, true],
    ['create', 'project', true, true],
    ['clone', 'project', true, true],
    ['edit', 'project', false, true],
    ['delete', 'project', false, true],
    ['close', 'project', false, true],
    ['burn', 'project', false, false],
    ['list', 'secret', false, true],
    ['list', 'nothing', false, false],
    ['list', undefined, true, true],
  ])('offers %s of %s to a clerk: %s, to the boss: %s', async (action, resource, clerk, boss) => {
    const question = { action, ...(resource !== undefined && { resource }) }
    expect((await refineAccess(as('clerk')).can(question)).can).toBe(clerk)
    expect((await refineAccess(as('boss')).can(question)).can).toBe(boss)
  })

  test('offers fields that the caller may see', async () => {
    const field = (name: string) => ({ action: 'field', resource: 'project', params: { field: name } })
    const { can, reason } = await refineAccess(as('clerk')).can(field('budget'))
    expect([can, reason]).toEqual([false, "the service does not offer you this of 'project.budget'"])
    expect(await refineAccess(as('boss')).can(field('budget'))).toEqual({ can: true })
    expect(await refineAccess(as('clerk')).can(field('tasks'))).toEqual({ can: true })
  })

  test('sees and changes what its caller may, in its tenant', async () => {
    const firmsOf = [
      { id: INK, name: 'Ink' },
      { id: NIB, name: 'Nib' },
    ]
    await service.db.insertInto('firm').values(firmsOf).execute()
    const [boss, clerk, other] = [as('boss'), as('clerk'), as('boss', NIB)].map((api) => refineProvider(api))
    if (boss === undefined || clerk === undefined || other === undefined) throw new Error('there are three')
    const resource = 'project'
    const { data: project } = await boss.create({
      resource,
      variables: { name: 'a', budget: 7, tasks: [{ text: 'x' }] },
    })
    const { data: seen } = await clerk.getOne({ resource, id: project.id as string })
    expect(seen).toMatchObject({ id: project.id, name: 'a', tasks: [{ text: 'x' }] })
    const change = { resource, id: project.id as string, variables: { name: 'b', $etag: seen.$etag } }
    await expect(clerk.update(change)).rejects.toMatchObject({ statusCode: 403 })
    expect(await other.getList({ resource })).toEqual({ data: [], total: 0 })
    const all = { resource, id: project.id as string, variables: { tasks: [], $etag: project.$etag } }
    expect((await boss.update(all)).data).toMatchObject({ tasks: [], budget: 7 })
  })
})
