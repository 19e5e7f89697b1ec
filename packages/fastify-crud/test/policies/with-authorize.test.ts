import { beforeEach, expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import { fillOffices, type Offices, officePolicies, offices } from './models/offices.ts'
import { ada, asCaller, caller } from './support/as-caller.ts'

describeOnBoth('policies beside `authorize`', (database) => {
  const service = useApp(database, offices, {
    plugin: {
      caller,
      policies: officePolicies,
      authorize: (_, { action, resource }) => action !== 'View' || (resource !== 'note' && resource !== 'project'),
    },
  })
  const client = asCaller(service, ada)
  let rows: Offices

  beforeEach(async () => {
    rows = await fillOffices(service.db)
  })

  test('leave out what either of them hides, and a PUT keeps all of it', async () => {
    const { project: _p, notes: _n, ...shown } = rows.invoice.shown
    const path = `/api/invoice/${shown.id}`
    expect(await client.read(path)).toEqual(shown)
    const body = { ...shown, number: 'new', tags: [], lines: [] }
    expect(await client.put(path, body)).toMatchObject({ status: 200, body })
    expect(await rows.all.invoice.find(shown.id)).toEqual({
      ...rows.invoice.ours,
      number: 'new',
      lines: [],
      tags: [rows.tag.hidden],
    })
  })
})

describeOnBoth('rows outside of View', (database) => {
  const limits = { maxAnswer: 20_000 }
  const service = useApp(database, offices, { plugin: { caller, policies: officePolicies, limits } })
  const client = asCaller(service, ada)

  test('do not make an answer too large', async () => {
    const { all, invoice } = await fillOffices(service.db)
    const long = 'zebra'.repeat(4000)
    const tags = [await all.tag.create({ name: long, orgId: 2 }), await all.tag.create({ name: long, orgId: 2 })]
    const links = tags.map(({ id }) => ({ id }))
    await service.db.insertInto('note').values({ text: long, authorId: 2, invoiceId: invoice.second.id }).execute()
    for (const { id } of links) {
      await service.db.insertInto('invoice_tags').values({ invoiceId: invoice.second.id, tagId: id }).execute()
    }
    const path = `/api/invoice/${invoice.second.id}`
    expect((await client.read('/api/invoice')).count).toBe(2)
    const shown = await client.read(path)
    expect([shown.tags, shown.notes]).toEqual([[], []])
    const put = await client.put(path, { ...shown, number: 'new' })
    expect([put.status, put.body?.number]).toEqual([200, 'new'])
    const patch = await client.patch(path, { lines: [{ text: 'l' }] })
    expect([patch.status, patch.body?.lines.length]).toEqual([200, 1])
  })
})
