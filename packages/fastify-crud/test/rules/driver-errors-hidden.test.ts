import { beforeEach, expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import { asCaller, caller, type Policies } from '../policies/support/as-caller.ts'
import { expectRefusals } from './support/expect-refusals.ts'
import { checked, createTablesWithChecks, useTriggers } from './support/ledger-with-checks.ts'
import type { Refusing } from './support/rules.ts'
import { storeWith } from './support/store-with.ts'

const refused = { code: 'CRUD_ERR_REFUSED' } as const
const errors = (_: unknown, { refuse }: Refusing): void => refuse('the zebra says no')

describeOnBoth('an error of the database about a row that the caller may not see', (database) => {
  const all = { View: true, Add: true, Edit: true, Delete: true } as const
  const policies: Policies = {
    account: true,
    entry: { ...all, View: ({ eb }) => eb('text', 'not like', '%zebra%') },
    memo: { ...all, View: ({ eb }) => eb('text', 'not like', '%zebra%') },
  }
  const service = useApp(database, checked, { plugin: { errors, caller, policies }, tables: createTablesWithChecks })
  useTriggers(service)
  const ada = asCaller(service, { user: 1, org: 1 })
  const store = () => storeWith(service.db, checked, {})
  let id: number

  beforeEach(async () => {
    id = (await store().resource('account').create({ name: 'n' })).id
  })
  const addEntry = (text: string) => store().resource('account').owned(id, 'entries').create({ text, amount: 1 })

  test('is reported without its words', async () => {
    await addEntry('kept zebra')
    const problem = await ada.refuse('DELETE', `/api/account/${id}`, undefined, refused)
    expectRefusals(problem, ['', 'the write is refused'])
    expect(problem.detail).toBe('the write is refused')
  })

  test('is reported with them, if the caller may see all rows of the statement', async () => {
    await addEntry('kept')
    const problem = await ada.refuse('DELETE', `/api/account/${id}`, undefined, refused)
    expectRefusals(problem, ['', 'the zebra says no'])
  })

  test('is reported without them for records that know a removed one, as some of them may be hidden', async () => {
    await store().resource('memo').create({ text: 'kept zebra', accountId: id })
    const problem = await ada.refuse('DELETE', `/api/account/${id}`, undefined, refused)
    expectRefusals(problem, ['', 'the write is refused'])
  })

  test('is reported with its words where a body has the row', async () => {
    const body = { entries: [{ text: 'a', amount: -1 }] }
    const problem = await ada.refuse('PATCH', `/api/account/${id}`, body, refused)
    expectRefusals(problem, ['/entries/0', 'the zebra says no'])
  })

  test('is reported with its words at the commit, if the whole write is of rows that the caller may see', async () => {
    expectRefusals(await ada.refuse('POST', '/api/account', { name: 'late' }, refused), ['', 'the zebra says no'])
  })
})

describeOnBoth('an error of the database about records whose resource the caller may not see', (database) => {
  const authorize = (_: unknown, { action, resource }: { action: string; resource: string }) =>
    action !== 'View' || resource !== 'entry'
  const service = useApp(database, checked, { plugin: { errors, authorize }, tables: createTablesWithChecks })
  useTriggers(service)

  test('is reported without its words', async () => {
    const store = storeWith(service.db, checked, {})
    const entries = [{ text: 'kept', amount: 1 }]
    const { id } = await store.resource('account').create({ name: 'n', entries })
    const problem = await service.refuse('DELETE', `/api/account/${id}`, undefined, refused)
    expectRefusals(problem, ['', 'the write is refused'])
    expect(JSON.stringify(problem)).not.toContain('zebra')
  })
})
