import { createClient } from '@fastify-crud/client'
import { defineActions, defineResources, field, ownedBy, owns, type Policies } from '@fastify-crud/core'
import { reactAdminAccess, reactAdminProvider } from '@fastify-crud/react-admin'
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

describeOnBoth('react-admin', (database) => {
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
    ['read', 'project.name', true, true],
    ['read', 'project.budget', false, true],
    ['write', 'project.budget', false, true],
    ['read', 'project.tasks', true, true],
  ])('offers %s of %s to a clerk: %s, to the boss: %s', async (action, resource, clerk, boss) => {
    const question = { action, resource }
    expect(await reactAdminAccess(as('clerk'))(question)).toBe(clerk)
    expect(await reactAdminAccess(as('boss'))(question)).toBe(boss)
  })

  test('sees and changes what its caller may, in its tenant', async () => {
    const firmsOf = [
      { id: INK, name: 'Ink' },
      { id: NIB, name: 'Nib' },
    ]
    await service.db.insertInto('firm').values(firmsOf).execute()
    const [boss, clerk, other] = [as('boss'), as('clerk'), as('boss', NIB)].map((api) => reactAdminProvider(api))
    if (boss === undefined || clerk === undefined || other === undefined) throw new Error('there are three')
    const { data: project } = await boss.create('project', { data: { name: 'a', budget: 7, tasks: [{ text: 'x' }] } })
    const { data: seen } = await clerk.getOne('project', { id: project.id })
    expect(seen).toMatchObject({ id: project.id, name: 'a', tasks: [{ text: 'x' }] })
    expect(seen).not.toHaveProperty('budget')
    const change = { id: project.id, data: { ...seen, name: 'b' }, previousData: seen }
    await expect(clerk.update('project', change)).rejects.toMatchObject({ status: 403 })
    expect(await other.getList('project', {})).toMatchObject({ data: [], total: 0 })
    await expect(other.getOne('project', { id: project.id })).rejects.toMatchObject({ status: 404 })
    const whole = { id: project.id, data: { ...project, tasks: [] }, previousData: project }
    expect((await boss.update('project', whole)).data).toMatchObject({ tasks: [], budget: 7 })
    await expect(clerk.getList('secret', {})).rejects.toThrow("no resource 'secret' for this caller")
  })
})
