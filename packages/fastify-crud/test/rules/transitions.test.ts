import { transitions } from '@fastify-crud/core'
import { Type } from '@sinclair/typebox'
import { defineResources, ownedBy, owns } from 'fastify-crud'
import { expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import { withRules } from './support/rules.ts'

const map = { draft: ['sent'], sent: ['paid', 'draft'], paid: [] }
const states = Type.Union([Type.Literal('draft'), Type.Literal('sent'), Type.Literal('paid')])

/** `invoice` gives its status no default, `offer` gives it one that is not the first. */
const office = defineResources({
  folder: { fields: { name: Type.String() }, relations: { invoices: owns.many('invoice') } },
  invoice: {
    fields: { text: Type.String(), status: Type.Optional(states) },
    relations: { folder: ownedBy('folder') },
  },
  offer: {
    fields: {
      text: Type.String(),
      status: Type.Union([Type.Literal('draft'), Type.Literal('sent'), Type.Literal('paid')], { default: 'sent' }),
    },
  },
})

const code = 'CRUD_ERR_REFUSED'

describeOnBoth('`transitions`', (database) => {
  const rules = { invoice: transitions('status', map), offer: transitions('status', map) }
  const service = useApp(database, office, withRules(rules))
  const addFolder = async () => {
    const folder = await service.add('/api/folder', { name: 'f', invoices: [{ text: 'a' }] })
    const [invoice] = folder.invoices
    return { folder, invoice, path: `/api/folder/${folder.id}/invoice/${invoice.id}` }
  }

  test('gives a new row the first status, or the default of the field', async () => {
    expect((await addFolder()).invoice.status).toBe('draft')
    expect(await service.add('/api/offer', { text: 'a' })).toMatchObject({ status: 'sent' })
  })

  test('lets a status go where the map says, in steps', async () => {
    const { path } = await addFolder()
    for (const status of ['sent', 'draft', 'sent', 'paid']) {
      expect(await service.patch(path, { status })).toMatchObject({ status: 200, body: { status } })
    }
  })

  test('refuses every other way', async () => {
    const { path } = await addFolder()
    await service.refuse('PATCH', path, { status: 'paid' }, { code })
    await service.patch(path, { status: 'sent' })
    await service.patch(path, { status: 'paid' })
    for (const status of ['draft', 'sent']) await service.refuse('PATCH', path, { status }, { code })
    await service.refuse('PUT', path, { text: 'a', status: 'draft' }, { code })
  })

  test('refuses it in a body of the owner, too', async () => {
    const { folder, invoice } = await addFolder()
    const path = `/api/folder/${folder.id}`
    await service.refuse('PATCH', path, { invoices: [{ id: invoice.id, status: 'paid' }] }, { code })
    const body = { name: 'f', invoices: [{ ...invoice, status: 'paid' }] }
    await service.refuse('PUT', path, body, { code })
  })

  test('lets a row keep its status, whatever else changes', async () => {
    const { path } = await addFolder()
    await service.patch(path, { status: 'sent' })
    await service.patch(path, { status: 'paid' })
    expect(await service.patch(path, { text: 'b' })).toMatchObject({ status: 200, body: { text: 'b', status: 'paid' } })
    expect((await service.patch(path, { status: 'paid' })).status).toBe(200)
    expect((await service.put(path, await service.read(path))).status).toBe(200)
    expect((await service.delete(path)).status).toBe(204)
  })
})

describeOnBoth('`transitions` of a new row', (database) => {
  const service = useApp(database, office, withRules({ offer: transitions('status', map) }))

  test('refuses every other status', async () => {
    await service.refuse('POST', '/api/offer', { text: 'a', status: 'paid' }, { code })
    expect(await service.add('/api/offer', { text: 'a', status: 'sent' })).toMatchObject({ status: 'sent' })
  })
})
