import { Type } from '@sinclair/typebox'
import { createTables, defineResources, ownedBy, owns } from 'fastify-crud'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { asRole } from '../../../../test/support/as-role.ts'
import { setups } from '../../../../test/support/databases.ts'
import type { JsonBody } from '../../../../test/support/json-body.ts'
import { expectProblem } from '../../../../test/support/problem.ts'
import type { TestKysely } from '../../../../test/support/tables.ts'

const name = Type.String()
const unknown = (pointer: string) => ({ code: 'CRUD_ERR_UNKNOWN_REFERENCE', pointers: [pointer] }) as const

const ME = `nullif(current_setting('app.user', true), '')`

/** Everybody sees boards that are shared, and their own. What is on a board may be changed by its owner alone. */
async function withRowSecurity(owner: TestKysely): Promise<void> {
  await createTables(owner, secured)
  const isOnMine = `exists (select 1 from board where board.id = "boardId" and board.owner = ${ME})`
  const policies = [
    'alter table board enable row level security',
    `create policy view_board on board for select using (owner = ${ME} or name like 'shared%')`,
    `create policy edit_board on board for update using (true)`,
    `create policy add_board on board for insert with check (owner = ${ME})`,
    'alter table list enable row level security',
    'create policy view_list on list for select using (exists (select 1 from board where board.id = "boardId"))',
    `create policy add_list on list for insert with check (${isOnMine})`,
    `create policy edit_list on list for update using (${isOnMine}) with check (${isOnMine})`,
  ]
  for (const policy of policies) await sql.raw(policy).execute(owner)
}

const secured = defineResources({
  board: { fields: { name, owner: name }, relations: { lists: owns.many('list') } },
  list: { topLevel: true, fields: { name }, relations: { board: ownedBy('board', { moves: true }) } },
})

for (const setup of setups.filter((one) => one.name === 'postgres')) {
  describe(`moves, and row level security with the option \`session\` (${setup.title})`, () => {
    const service = useApp(asRole(setup, withRowSecurity), secured, {
      tables: async () => {},
      plugin: {
        caller: ({ headers }) => ({ id: String(headers['x-user'] ?? '') }),
        session: (caller) => ({ 'app.user': (caller as { id: string }).id }),
      },
    })
    const send = (user: string, method: string, path: string, body?: unknown) =>
      service.request(method, path, body, { 'x-user': user })
    const board = async (user: string, title: string): Promise<JsonBody> =>
      (await send(user, 'POST', '/api/board', { name: title, owner: user, lists: [{ name: 'l' }] })).body

    test('PostgreSQL has a say in where a record may go, and from where', async () => {
      const [mine, other, hidden, shared] = [
        await board('ada', 'mine'),
        await board('ada', 'other'),
        await board('bob', 'hidden'),
        await board('bob', 'shared'),
      ]
      const path = `/api/list/${mine.lists[0].id}`
      expect((await send('ada', 'PATCH', path, { boardId: other.id })).body).toMatchObject({ boardId: other.id })
      expectProblem(await send('ada', 'PATCH', path, { boardId: hidden.id }), unknown('/boardId'))
      expectProblem(await send('ada', 'PATCH', path, { boardId: shared.id }), { code: 'CRUD_ERR_FORBIDDEN' })
      const seen = `/api/list/${shared.lists[0].id}`
      expect((await send('ada', 'GET', seen)).status).toBe(200)
      expectProblem(await send('ada', 'PATCH', seen, { boardId: mine.id }), { code: 'CRUD_ERR_FORBIDDEN' })
      expect((await send('bob', 'GET', path)).status).toBe(404)
      expect((await send('ada', 'GET', path)).body.boardId).toBe(other.id)
      expect((await send('bob', 'GET', seen)).body.boardId).toBe(shared.id)
    })
  })
}
