import { beforeEach, expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import { asCaller, caller, type Policies } from '../policies/support/as-caller.ts'
import { ledger, ledgerRules } from './support/ledger.ts'
import { withRules } from './support/rules.ts'

const forbidden = { code: 'CRUD_ERR_FORBIDDEN' } as const

const ofOrg: Policies[string] = ({ eb, my }) => eb('orgId', '=', my('org'))

describeOnBoth('policies look at rows after `set`:', (database) => {
  const policies: Policies = {
    account: {
      View: ofOrg,
      Add: ofOrg,
      // Nobody keeps what somebody else has changed last.
      Edit: { before: true, after: ({ eb, my }) => eb.and([eb('editedBy', '=', my('id')), eb('editedBy', '!=', 3)]) },
      Delete: true,
    },
    entry: { View: true, Add: ({ eb }) => eb('orgId', '!=', 9), Edit: true, Delete: true },
  }
  const service = useApp(database, ledger, withRules(ledgerRules, { caller, policies }))
  const ada = asCaller(service, { user: 1, org: 7 })
  let path: string

  beforeEach(async () => {
    const { status, body } = await ada.post('/api/account', { name: 'Cash' })
    expect(status, JSON.stringify(body)).toBe(201)
    path = `/api/account/${body.id}`
  })

  test('`Add` holds for a value that the rule has set', async () => {
    expect(await ada.read(path)).toMatchObject({ orgId: 7 })
    // Without an organisation the rule sets none.
    await asCaller(service, { user: 1 }).refuse('POST', '/api/account', { name: 'x' }, forbidden)
  })

  test('`Add` refuses a row below for a value that the rule has set', async () => {
    const nine = asCaller(service, { user: 1, org: 9 })
    expect((await nine.post('/api/account', { name: 'x' })).status).toBe(201)
    await nine.refuse('POST', '/api/account', { name: 'x', entries: [{ text: 'a' }] }, forbidden)
  })

  test('`Edit` holds for a value that the rule has set on the change', async () => {
    const other = asCaller(service, { user: 2, org: 7 })
    expect(await other.patch(path, { name: 'Bank' })).toMatchObject({ status: 200, body: { editedBy: 2 } })
    await asCaller(service, { user: 3, org: 7 }).refuse('PATCH', path, { name: 'x' }, forbidden)
  })

  test('`View` shows each caller the rows that the rule has given them', async () => {
    const other = asCaller(service, { user: 2, org: 8 })
    await other.post('/api/account', { name: 'Bank' })
    expect((await ada.read('/api/account')).rows).toMatchObject([{ name: 'Cash' }])
    expect((await other.read('/api/account')).rows).toMatchObject([{ name: 'Bank' }])
    expect((await other.get(path)).status).toBe(404)
  })
})
