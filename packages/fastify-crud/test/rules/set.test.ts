import { set } from '@fastify-crud/core'
import { Type } from '@sinclair/typebox'
import { defineResources } from 'fastify-crud'
import { beforeEach, expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import { errorLog } from '../../../../test/support/error-log.ts'
import type { JsonBody } from '../../../../test/support/json-body.ts'
import { updatesIn, writesIn } from '../../../../test/support/statement-log.ts'
import { asCaller, caller } from '../policies/support/as-caller.ts'
import { ledger, ledgerRules } from './support/ledger.ts'
import { withRules } from './support/rules.ts'

const invalid = 'CRUD_ERR_INVALID'

describeOnBoth('`set`', (database) => {
  const service = useApp(database, ledger, withRules(ledgerRules, { caller }))
  const ada = asCaller(service, { user: 1, org: 7 })
  const bo = asCaller(service, { user: 2, org: 8 })
  let account: JsonBody
  let path: string

  beforeEach(async () => {
    const entries = [{ text: 'a', remarks: [{ text: 'r' }] }, { text: 'b' }]
    const answer = await ada.post('/api/account', { name: 'Cash', entries })
    expect(answer.status, JSON.stringify(answer.body)).toBe(201)
    account = answer.body
    path = `/api/account/${account.id}`
  })

  test('gives values to a new row, from the caller and from the row itself', () => {
    expect(account).toMatchObject({ name: 'Cash', slug: 'cash', orgId: 7, openedAt: expect.any(String) })
  })

  test('gives values to new rows at every depth, with one time for all of them', () => {
    const [first, second] = account.entries
    for (const row of [first, second, first.remarks[0]]) {
      expect(row).toMatchObject({ orgId: 7, openedAt: account.openedAt })
    }
  })

  test('gives values to a row that is added below an owner', async () => {
    const added = await bo.post(`${path}/entry`, { text: 'c', remarks: [{ text: 's' }] })
    expect(added).toMatchObject({ status: 201, body: { orgId: 8, remarks: [{ orgId: 8 }] } })
    const changed = await bo.patch(path, { entries: [{ text: 'd' }] })
    expect(changed.body.entries.at(-1)).toMatchObject({ text: 'd', orgId: 8 })
  })

  test('stores what it answers', async () => {
    expect(await ada.read(path)).toEqual(account)
  })

  test('leaves a row alone that is changed, unless it says `on: "change"`', async () => {
    const { body } = await bo.patch(path, { name: 'Bank', entries: [{ id: account.entries[1].id, text: 'B' }] })
    expect(body).toMatchObject({ name: 'Bank', slug: 'cash', orgId: 7, openedAt: account.openedAt, editedBy: 2 })
    expect(body.entries).toMatchObject([
      { text: 'a', orgId: 7, editedBy: 1 },
      { text: 'B', orgId: 7, editedBy: 2 },
    ])
  })

  test('with `on: "change"` is also for new rows', () => {
    expect(account).toMatchObject({ editedBy: 1, editedAt: account.openedAt })
  })

  test('does not change a row that has no other change', async () => {
    const { body } = await bo.patch(path, { entries: [{ id: account.entries[1].id, text: 'B' }] })
    expect(body).toMatchObject({ editedBy: 1, editedAt: account.editedAt, entries: [{ editedBy: 1 }, { editedBy: 2 }] })
  })

  test('has a PUT with the body that GET returned run no UPDATE, whoever sends it', async () => {
    const statements = await service.statements(async () => {
      expect(await bo.put(path, account)).toMatchObject({ status: 200, body: account })
      expect((await bo.patch(path, { name: 'Cash' })).status).toBe(200)
    })
    expect(writesIn(statements)).toEqual([])
  })

  test('changes only the row that a PUT changes', async () => {
    const [first, second] = account.entries
    const statements = await service.statements(async () => {
      const { body } = await bo.put(path, { ...account, entries: [first, { ...second, text: 'B' }] })
      expect(body).toMatchObject({ editedBy: 1, entries: [{ editedBy: 1 }, { text: 'B', editedBy: 2 }] })
    })
    expect(updatesIn(statements)).toHaveLength(1)
  })

  test('makes its fields read-only: POST and PATCH with one are 400, at every depth', async () => {
    const entry = { text: 'x', orgId: 7, editedBy: 1, remarks: [{ text: 'y', orgId: 7 }] }
    const body = { name: 'n', slug: 'n', entries: [entry] }
    const below = ['/entries/0/orgId', '/entries/0/editedBy', '/entries/0/remarks/0/orgId']
    await ada.refuse('POST', '/api/account', body, { code: invalid, pointers: ['/slug', ...below] })
    await ada.refuse('PATCH', path, { orgId: 7, entries: [entry] }, { code: invalid, pointers: ['/orgId', ...below] })
    await ada.refuse('POST', `${path}/entry`, { text: 'x', orgId: 7 }, { code: invalid, pointers: ['/orgId'] })
  })

  test('has a PUT ignore its fields', async () => {
    const [first] = account.entries
    const body = { name: 'Bank', slug: 'mine', orgId: 99, openedAt: null, entries: [{ ...first, orgId: 99 }] }
    const kept = { slug: 'cash', orgId: 7, openedAt: account.openedAt, entries: [{ orgId: 7 }] }
    expect(await bo.put(path, body)).toMatchObject({ status: 200, body: { name: 'Bank', ...kept } })
  })

  test('keeps its values where a PUT leaves its fields out', async () => {
    const kept = { slug: 'cash', orgId: 7, openedAt: account.openedAt }
    expect((await bo.put(path, { name: 'Bank' })).body).toMatchObject(kept)
  })

  test('gives fields that filters and sorts can name', async () => {
    await bo.post('/api/account', { name: 'Bank' })
    expect((await ada.read('/api/account?filter[orgId]=8&sort=-slug')).rows).toMatchObject([{ name: 'Bank' }])
  })
})

describeOnBoth('an asynchronous function of `set`', (database) => {
  const resources = defineResources({ note: { fields: { text: Type.String(), details: Type.Any() } } })
  const rules = { note: set({ details: async () => ({ a: 1 }) }) }
  const { fastify, lines } = errorLog()
  const service = useApp(database, resources, { ...withRules(rules), fastify })

  test('is a mistake of the application, as nothing waits for it: 500, and nothing is stored', async () => {
    await service.refuse('POST', '/api/note', { text: 'a' }, { code: 'CRUD_ERR_INTERNAL', pointers: [] })
    expect(lines.join()).toContain("the value that a rule gives to 'details' does not fit: it is a promise")
  })
})
