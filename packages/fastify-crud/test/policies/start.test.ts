import Fastify from 'fastify'
import { createTables, crudPlugin } from 'fastify-crud'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { OpenDatabase } from '../../../../test/support/databases.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import { folders } from './models/folders.ts'
import { officePolicies, offices } from './models/offices.ts'
import { tickets } from './models/tickets.ts'
import { caller, type Policies } from './support/as-caller.ts'

describeOnBoth('a start with policies', (database) => {
  let open: OpenDatabase

  beforeAll(async () => {
    open = await database.open()
    for (const model of [offices, tickets, folders]) await createTables(open.db, model)
  })
  afterAll(() => open.close())

  async function start(resources: object, policies: unknown, others: object = { caller }): Promise<void> {
    const app = Fastify()
    try {
      await app.register(crudPlugin, { db: open.db, resources, policies, ...others } as never)
      await app.ready()
    } finally {
      await app.close()
    }
  }

  test('fails, and names the resource, if one that can be without an owner has no entry', async () => {
    const { customer: _, ...rest } = officePolicies
    await expect(start(offices, rest)).rejects.toThrow(/customer/)
    const { customer: _c, tag: _t, ...fewer } = officePolicies
    await expect(start(offices, fewer)).rejects.toThrow(/customer[\s\S]*tag/)
    await expect(start(tickets, {})).rejects.toThrow(/ticket/)
  })

  test('takes an owned resource with and without an entry', async () => {
    await expect(start(tickets, { ticket: true })).resolves.toBeUndefined()
    await expect(start(tickets, { ticket: true, comment: false })).resolves.toBeUndefined()
  })

  test('wants an entry for the root of a tree', async () => {
    await expect(start(folders, { shortcut: true })).rejects.toThrow(/folder/)
    await expect(start(folders, { shortcut: true, folder: true })).resolves.toBeUndefined()
  })

  test('fails, and names the place, for a resource that there is not', async () => {
    await expect(start(tickets, { ticket: true, tikcet: true })).rejects.toThrow(/tikcet/)
    await expect(start(tickets, { ticket: true, toString: true })).rejects.toThrow(/toString/)
  })

  test('fails, and names the place, for null in place of a rule', async () => {
    for (const ticket of [null, { View: null }, { Edit: null }, { admin: null }, { admin: { Delete: null } }]) {
      await expect(start(tickets, { ticket })).rejects.toThrow(/policies\.ticket/)
    }
  })

  test('fails, and names the place, for a role that is called like an action', async () => {
    const View = { View: true }
    await expect(start(tickets, { ticket: { View, admin: true } })).rejects.toThrow(/ticket/)
    await expect(start(tickets, { ticket: { Edit: { Delete: true } } })).rejects.toThrow(/ticket\.Edit/)
    await expect(start(tickets, { ticket: { View: true, admin: true } })).rejects.toThrow(/ticket/)
    await expect(start(tickets, { ticket: { admin: { View: true, editor: true } } })).rejects.toThrow(/ticket\.admin/)
  })

  test('fails for a role that is called like an action but for its case, and says how the action is written', async () => {
    for (const name of [
      'view',
      'VIEW',
      'vIEW',
      'add',
      'ADD',
      'edit',
      'Edits'.slice(0, 4).toUpperCase(),
      'delete',
      'DELETE',
    ]) {
      const action = `${name[0]?.toUpperCase()}${name.slice(1).toLowerCase()}`
      const message = new RegExp(`policies\\.ticket\\.${name}: .*write the action as ${action}`)
      await expect(start(tickets, { ticket: { [name]: true } })).rejects.toThrow(message)
      await expect(start(tickets, { ticket: { [name]: true, admin: true } })).rejects.toThrow(message)
      const ofRole = new RegExp(`policies\\.ticket\\.admin\\.${name}: .*write the action as ${action}`)
      await expect(start(tickets, { ticket: { admin: { [name]: true } } })).rejects.toThrow(ofRole)
    }
    await expect(start(tickets, { ticket: { View: true, edit: true } })).rejects.toThrow(/write the action as Edit/)
    await expect(start(tickets, { ticket: { viewer: true, editor: true } })).resolves.toBeUndefined()
  })

  test('fails, and names the place, for what is no policy', async () => {
    for (const wrong of [
      'true',
      1,
      null,
      undefined,
      [],
      { View: 'yes' },
      { Edit: { befor: true } },
      { admin: { View: 1 } },
    ]) {
      await expect(start(tickets, { ticket: wrong }), JSON.stringify(wrong)).rejects.toThrow(/ticket/)
    }
    for (const wrong of [true, [], 'all', () => true]) await expect(start(tickets, wrong)).rejects.toThrow(/policies/)
  })

  test('fails where `my` needs a caller, and there is no option `caller`', async () => {
    const policies: Policies = { ticket: ({ eb, my }) => eb('authorId', '=', my('id')) }
    await expect(start(tickets, policies, {})).rejects.toThrow(/caller/)
  })

  test('builds each expression once: no request builds it again', async () => {
    let built = 0
    const app = Fastify()
    const policies: Policies = {
      ticket: ({ eb, my }) => {
        built += 1
        return eb('authorId', '=', my('id'))
      },
    }
    await app.register(crudPlugin, { db: open.db, resources: tickets, caller, policies, decorator: false })
    await app.ready()
    const atStart = built
    expect(atStart).toBeGreaterThan(0)
    for (const user of ['1', '2']) {
      const { statusCode } = await app.inject({ url: '/api/ticket', headers: { 'x-user': user } })
      expect(statusCode).toBe(200)
      await app.inject({
        method: 'POST',
        url: '/api/ticket',
        payload: { title: 't', authorId: 1 },
        headers: { 'x-user': user },
      })
    }
    expect(built).toBe(atStart)
    await app.close()
  })
})
