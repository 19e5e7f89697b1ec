import { expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeServersOnDatabases } from '../../../../test/support/describe-on-databases.ts'
import { museum } from '../contract/models/museum.ts'
import { bodiesOf, useExhibits } from './exhibits.ts'

describeServersOnDatabases('mass assignment', (database) => {
  const service = useApp(database, museum)
  const exhibits = useExhibits(service)

  test("a body cannot name a record's owner, whatever the name and the depth", async () => {
    const { mine, other } = exhibits
    const [lid] = mine.parts
    const [glue] = lid.repairs
    const [otherLid] = other.parts
    for (const [name, value] of [
      ['itemId', other.id],
      ['item', { id: other.id }],
      ['zq_part_of', other.id],
      ['item_id', other.id],
    ] as const) {
      const invalid = (...pointers: string[]) => ({ code: 'CRUD_ERR_INVALID', pointers }) as const
      const path = `/api/item/${mine.id}`
      await service.refuse('PATCH', path, { parts: [{ id: lid.id, [name]: value }] }, invalid(`/parts/0/${name}`))
      await service.refuse('PATCH', path, { label: { [name]: value } }, invalid(`/label/${name}`))
      await service.refuse('PATCH', `${path}/part/${lid.id}`, { [name]: value }, invalid(`/${name}`))
      await service.refuse('PUT', `${path}/part/${lid.id}`, { ...lid, [name]: value }, invalid(`/${name}`))
      await service.refuse('POST', `${path}/part`, { name: 'x', [name]: value }, invalid(`/${name}`))
    }
    for (const [name, value] of [
      ['partId', otherLid.id],
      ['part', { id: otherLid.id }],
      ['zq_repair_of', otherLid.id],
    ] as const) {
      const deep = { parts: [{ id: lid.id, repairs: [{ id: glue.id, [name]: value }] }] }
      const refused = { code: 'CRUD_ERR_INVALID', pointers: [`/parts/0/repairs/0/${name}`] } as const
      await service.refuse('PATCH', `/api/item/${mine.id}`, deep, refused)
    }
  })

  test('a folder cannot be moved to another one', async () => {
    const { folder, otherFolder } = exhibits
    const child = folder.folders[0]
    const path = `/api/folder/${folder.id}/folder/${child.id}`
    for (const at of [path, `/api/folder/${child.id}`]) {
      for (const [name, value] of [
        ['parentId', otherFolder.id],
        ['parent', { id: otherFolder.id }],
        ['parent', null],
        ['parentId', null],
      ] as const) {
        const refused = { code: 'CRUD_ERR_INVALID', pointers: [`/${name}`] } as const
        await service.refuse('PATCH', at, { [name]: value }, refused)
        await service.refuse('PUT', at, { ...child, [name]: value }, refused)
      }
    }
  })

  test('no record is created under an id of the body, whatever the depth', async () => {
    const { mine } = exhibits
    const { item, repair } = bodiesOf(exhibits)
    const id = 900_000
    const label = { text: 'x', id }
    const body = { ...item, id, label, parts: [{ id, name: 'p', repairs: [{ ...repair, id }] }] }
    const pointers = ['/id', '/label/id', '/parts/0/id', '/parts/0/repairs/0/id']
    await service.refuse('POST', '/api/item', body, { code: 'CRUD_ERR_INVALID', pointers })
    await service.refuse('POST', '/api/item/900001', body, { code: 'CRUD_ERR_INVALID', pointers })
    const parts = [{ name: 'p', repairs: [{ ...repair, id }] }]
    const deep = { code: 'CRUD_ERR_INVALID', pointers: ['/parts/0/repairs/0/id'] } as const
    await service.refuse('PUT', `/api/item/${mine.id}`, { ...mine, parts }, deep)
    await service.refuse('PATCH', `/api/item/${mine.id}`, { parts }, deep)
  })

  test("a record's own id cannot be changed, whatever the depth", async () => {
    const { mine } = exhibits
    const path = `/api/item/${mine.id}`
    const [lid] = mine.parts
    const changed = { code: 'CRUD_ERR_INVALID', pointers: ['/id'] } as const
    for (const id of [mine.id + 1000, 0, -1]) {
      await service.refuse('PUT', path, { ...mine, id }, changed)
      await service.refuse('PATCH', path, { id }, changed)
      await service.refuse('PATCH', `${path}/part/${lid.id}`, { id }, changed)
    }
    const label = { id: mine.label.id + 1000, text: 'x' }
    const unknown = { code: 'CRUD_ERR_UNKNOWN_REFERENCE', pointers: ['/label/id'] } as const
    await service.refuse('PATCH', path, { label }, unknown)
    await service.refuse('PUT', path, { ...mine, label }, unknown)
  })

  test('names of the database are no names of a body', async () => {
    const { mine } = exhibits
    const names = ['zq_title', 'zq_item_no', 'zq_donor_ref', 'zq_items', 'zq_item_experts', 'ZQ_TITLE', '"zq_title"']
    for (const name of names) {
      const refused = { code: 'CRUD_ERR_INVALID', pointers: [`/${name}`] } as const
      await service.refuse('PATCH', `/api/item/${mine.id}`, { [name]: 1 }, refused)
    }
  })

  test('a related record that is not owned is never written, whatever stands in it', async () => {
    const { mine, donor, expert, topic } = exhibits
    const before = await service.snapshot()
    const [lid, jar] = mine.parts
    const body = {
      ...mine,
      donor: { id: donor.id, name: 'changed' },
      experts: [{ id: expert.id, name: 'changed' }],
      topics: [{ id: topic.id, word: 'changed' }],
      parts: [
        {
          ...lid,
          repairs: [{ ...lid.repairs[0], expert: { name: 'changed' }, topics: [{ ...topic, word: 'changed' }] }],
        },
        jar,
      ],
    }
    const { entry: _readOnly, ...patch } = body
    for (const [method, sent] of [
      ['PUT', body],
      ['PATCH', patch],
    ] as const) {
      const answer = await service.request(method, `/api/item/${mine.id}`, sent)
      expect([answer.status, answer.body]).toEqual([200, mine])
      expect(await service.snapshot()).toEqual(before)
    }
  })

  test('a related record takes no relations of its own', async () => {
    const { mine, other, donor, expert } = exhibits
    for (const [body, pointer] of [
      [{ donorId: donor.id, donor: { id: donor.id, items: [{ id: other.id, title: 'x' }] } }, '/donor/items'],
      [{ twinId: other.id, twin: { id: other.id, parts: [] } }, '/twin/parts'],
      [{ twinId: other.id, twin: { id: other.id, donorId: 1 } }, '/twin/donorId'],
      [{ experts: [{ id: expert.id, items: [] }] }, '/experts/0/items'],
    ] as const) {
      await service.refuse('PATCH', `/api/item/${mine.id}`, body, { code: 'CRUD_ERR_INVALID', pointers: [pointer] })
    }
  })
})
