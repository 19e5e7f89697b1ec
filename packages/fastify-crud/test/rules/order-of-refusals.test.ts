import { Type } from '@sinclair/typebox'
import { createTables, defineResources, needs, ownedBy, owns } from 'fastify-crud'
import { beforeEach, expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import type { OpenDatabase } from '../../../../test/support/databases.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../test/support/json-body.ts'
import { refuseBy } from '../../../../test/support/trigger.ts'
import { ada as adaHeaders, asCaller, caller, type Policies } from '../policies/support/as-caller.ts'
import { type TestRules, withRules } from './support/rules.ts'

const text = Type.String()

const desk = defineResources({
  user: { fields: { name: text } },
  ticket: {
    fields: { title: text, state: Type.Optional(text), orgId: Type.Integer() },
    relations: { user: needs.one('user'), parts: owns.many('part') },
    unique: [['title']],
  },
  part: { fields: { text }, relations: { ticket: ownedBy('ticket') } },
})

/** Each stage refuses rows whose state or text names it; a state may name several. */
const rules: TestRules = {
  ticket: {
    validate({ after, refuse, invalid }) {
      if (after?.state?.includes('validate')) refuse('refused by validate')
      if (after?.state?.includes('invalid')) invalid('state', 'invalid')
    },
    afterWrite({ after, refuse }) {
      if (after?.state?.includes('afterWrite')) refuse('refused by afterWrite')
    },
    invariant: {
      reads: ['state'],
      test({ after, refuse }) {
        if (after?.state?.includes('invariant')) refuse('refused by an invariant')
      },
    },
  },
  user: {
    validate({ refuse }) {
      refuse('refused by validate')
    },
  },
}

const policies: Policies = {
  user: true,
  ticket: { View: true, Add: true, Edit: { before: true, after: ({ eb }) => eb('orgId', '=', 1) }, Delete: true },
}

async function createTablesWithTrigger(database: OpenDatabase): Promise<void> {
  await createTables(database.db, desk)
  await refuseBy(database, { table: 'ticket', on: 'update', when: "new.state like '%trigger%'" })
}

describeOnBoth('refusals come in this order:', (database) => {
  const service = useApp(database, desk, {
    ...withRules(rules, { caller, policies }),
    tables: createTablesWithTrigger,
  })
  const ada = asCaller(service, adaHeaders)
  let userId: number
  let ticket: JsonBody
  let path: string

  beforeEach(async () => {
    const user = await service.db.insertInto('user').values({ name: 'Ada' }).returning('id').executeTakeFirstOrThrow()
    userId = Number(user.id)
    await ada.post('/api/ticket', { title: 'taken', orgId: 1, userId })
    ticket = (await ada.post('/api/ticket', { title: 'mine', orgId: 1, userId, parts: [{ text: 'a' }] })).body
    path = `/api/ticket/${ticket.id}`
  })

  async function expectSaid(state: string, said: string, others: object = {}): Promise<void> {
    const problem = await ada.refuse('PATCH', path, { state, ...others }, { code: 'CRUD_ERR_REFUSED' })
    expect(JSON.stringify(problem)).toContain(said)
  }

  test('the body and its references, then `validate`', async () => {
    await ada.refuse(
      'PATCH',
      path,
      { state: 'validate', titel: 'x' },
      { code: 'CRUD_ERR_INVALID', pointers: ['/titel'] },
    )
    const reference = { code: 'CRUD_ERR_UNKNOWN_REFERENCE' } as const
    await ada.refuse('PATCH', path, { state: 'validate invalid', userId: 999_999 }, reference)
    await ada.refuse('PATCH', path, { state: 'validate', parts: [{ id: 999_999, text: 'x' }] }, reference)
  })

  test('what is still needed and what is taken, then `validate`', async () => {
    await ada.refuse('DELETE', `/api/user/${userId}`, undefined, { code: 'CRUD_ERR_STILL_NEEDED' })
    await ada.refuse('PATCH', path, { state: 'validate invalid', title: 'taken' }, { code: 'CRUD_ERR_NOT_UNIQUE' })
  })

  test('`validate` that says 400, then `validate` that says 409', async () => {
    const invalid = { code: 'CRUD_ERR_INVALID', pointers: ['/state'] } as const
    await ada.refuse('PATCH', path, { state: 'validate invalid' }, invalid)
  })

  test('`validate`, then what the database itself refuses', async () => {
    await expectSaid('validate trigger', 'refused by validate')
  })

  test('`validate`, then policies on stored rows, then `afterWrite`', async () => {
    await expectSaid('validate', 'refused by validate', { orgId: 2 })
    await ada.refuse('PATCH', path, { state: 'afterWrite', orgId: 2 }, { code: 'CRUD_ERR_FORBIDDEN' })
  })

  test('`afterWrite`, then invariants', async () => {
    await expectSaid('afterWrite invariant', 'refused by afterWrite')
    await expectSaid('invariant', 'refused by an invariant')
  })
})
