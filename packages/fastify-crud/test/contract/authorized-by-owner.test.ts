import { Type } from '@sinclair/typebox'
import { type AccessQuestion, defineResources, knows, needs, ownedBy, owns } from 'fastify-crud'
import { beforeEach, expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../test/support/json-body.ts'

const text = Type.String()

const shop = defineResources({
  order: { fields: { text }, relations: { lines: owns.many('line'), memos: owns.many('memo') } },
  line: {
    authorizedBy: 'owner',
    fields: { text },
    relations: { order: ownedBy('order'), notes: owns.many('note') },
  },
  note: { authorizedBy: 'owner', fields: { text }, relations: { line: ownedBy('line') } },
  customer: { fields: { text }, relations: { memos: owns.many('memo') } },
  memo: {
    authorizedBy: 'owner',
    fields: { text },
    relations: { order: ownedBy('order'), customer: ownedBy('customer'), pages: owns.many('page') },
  },
  page: { authorizedBy: 'owner', fields: { text }, relations: { memo: ownedBy('memo') } },
  pin: { fields: { text }, relations: { memo: knows.one('memo'), note: knows.one('note') } },
  folder: {
    authorizedBy: 'owner',
    fields: { text },
    relations: {
      parent: ownedBy('folder', { optional: true }),
      folders: owns.many('folder'),
      papers: owns.many('paper'),
    },
  },
  paper: { authorizedBy: 'owner', fields: { text }, relations: { folder: ownedBy('folder') } },
})

describeOnBoth('`authorizedBy: owner`', (database) => {
  let asked: AccessQuestion[] = []
  let refused: string[] = []
  const service = useApp(database, shop, {
    plugin: {
      authorize(_request, question) {
        asked.push(question)
        return !refused.includes(`${question.action} ${question.resource}`)
      },
    },
  })

  beforeEach(() => {
    refused = []
  })

  /** The pairs that a request asks, with the id where the question names a record. */
  async function askedBy(method: string, path: string, body?: unknown): Promise<string[]> {
    asked = []
    const { status, body: answer } = await service.request(method, path, body)
    expect(status, JSON.stringify(answer)).toBeLessThan(300)
    return asked.map(({ action, resource, id }) =>
      [action, resource, id].filter((part) => part !== undefined).join(' '),
    )
  }

  async function order(): Promise<JsonBody> {
    return await service.add('/api/order', {
      text: 'o',
      lines: [{ text: 'a', notes: [{ text: 'n' }] }, { text: 'b' }],
      memos: [{ text: 'm', pages: [{ text: 'p' }] }],
    })
  }

  test('asks about the owner on the paths of the owned resource, with the owner’s id', async () => {
    const { id, lines } = await order()
    const path = `/api/order/${id}/line`
    expect(await askedBy('GET', path)).toEqual([`View order ${id}`])
    expect(await askedBy('GET', `${path}/${lines[0].id}`)).toEqual([`View order ${id}`])
    const writes: [string, string, unknown?][] = [
      ['POST', path, { text: 'c' }],
      ['PATCH', `${path}/${lines[0].id}`, { text: 'A' }],
      ['PUT', `${path}/${lines[0].id}`, { text: 'B', notes: [{ text: 'x' }] }],
    ]
    for (const [method, url, body] of writes) {
      expect(await askedBy(method, url, body)).toEqual([`Edit order ${id}`, 'View order'])
    }
    expect(await askedBy('DELETE', `${path}/${lines[0].id}`)).toEqual([`Edit order ${id}`])
  })

  test('goes on to the owner’s owner where that is `authorizedBy` its owner, too', async () => {
    const { id, lines, memos } = await order()
    const [{ notes }] = lines
    const path = `/api/order/${id}/line/${lines[0].id}/note`
    expect(await askedBy('GET', `${path}/${notes[0].id}`)).toEqual([`View order ${id}`])
    expect(await askedBy('PATCH', `${path}/${notes[0].id}`, { text: 'N' })).toEqual([`Edit order ${id}`, 'View order'])
    expect(await askedBy('DELETE', `/api/order/${id}/memo/${memos[0].id}/page/${memos[0].pages[0].id}`)).toEqual([
      `Edit order ${id}`,
    ])
  })

  test('asks no more for what a write does to owned records below the record whose `Edit` is asked', async () => {
    const { id, ...body } = await order()
    const [a] = body.lines
    const lines = [{ ...a, text: 'A', notes: [{ text: 'new' }] }, { text: 'c' }]
    const path = `/api/order/${id}`
    expect(await askedBy('PUT', path, { ...body, lines, memos: [] })).toEqual([`Edit order ${id}`, 'View order'])
    expect(await askedBy('GET', path)).toEqual([`View order ${id}`])
  })

  test('asks `Edit` of an owner that a write adds or deletes with what it owns', async () => {
    expect(await askedBy('POST', '/api/order', { text: 'o' })).toEqual(['Add order', 'View order'])
    expect(await askedBy('POST', '/api/order', { text: 'o', lines: [{ text: 'a' }] })).toEqual([
      'Add order',
      'View order',
      'Edit order',
    ])
    const { id } = await order()
    expect(await askedBy('DELETE', `/api/order/${id}`)).toEqual([`Delete order ${id}`, 'Edit order'])
  })

  test('refuses what the owner’s `Edit` or `View` does not allow, in terms of what the request does', async () => {
    const { id, lines } = await order()
    refused = ['Edit order']
    const forbidden = { code: 'CRUD_ERR_FORBIDDEN' } as const
    const path = `/api/order/${id}/line/${lines[0].id}`
    await service.refuse('PATCH', path, { text: 'A' }, { ...forbidden, detail: /^Edit of line \S+ is not allowed$/ })
    await service.refuse('DELETE', path, undefined, { ...forbidden, detail: /^Delete of line \S+ is not allowed$/ })
    const body = { text: 'o', lines: [{ text: 'a' }] }
    const added = { ...forbidden, detail: /^Add of line is not allowed$/, pointers: ['/lines/0'] }
    await service.refuse('POST', '/api/order', body, added)
    expect((await service.get(path)).status).toBe(200)
    refused = ['View order']
    await service.refuse('GET', path, undefined, forbidden)
    refused = ['View line', 'Edit line', 'Add line', 'Delete line']
    expect((await service.patch(path, { text: 'A' })).body).toMatchObject({ text: 'A' })
  })

  test('asks the owner that a record has, where several resources may own it', async () => {
    const { id, ...body } = await order()
    const customer = await service.add('/api/customer', { text: 'c', memos: [{ text: 'm', pages: [{ text: 'p' }] }] })
    refused = ['Edit order', 'View order']
    const path = `/api/customer/${customer.id}`
    const memos = [
      { ...customer.memos[0], text: 'M', pages: [{ text: 'q' }] },
      { text: 'new', pages: [{ text: 'r' }] },
    ]
    const own = [`Edit customer ${customer.id}`, 'View customer']
    expect(await askedBy('PATCH', path, { memos })).toEqual(own)
    const memo = `${path}/memo/${customer.memos[0].id}`
    expect(await askedBy('PUT', memo, { text: 'n', pages: [] })).toEqual(own)
    expect(await askedBy('PATCH', memo, { pages: [{ text: 's' }] })).toEqual(own)
    expect(await askedBy('DELETE', memo)).toEqual([own[0]])
    expect(await askedBy('PUT', path, { text: 'c', memos: [] })).toEqual(own)
    refused = ['Edit customer', 'View customer']
    expect(await askedBy('PUT', `/api/order/${id}`, { ...body, memos: [] })).toEqual([`Edit order ${id}`, 'View order'])
  })

  test('asks all resources that may own a record where nothing tells which one does', async () => {
    const { id, memos } = await order()
    const pin = await service.add('/api/pin', { text: 'p', memoId: memos[0].id })
    const path = `/api/pin/${pin.id}`
    expect(await askedBy('GET', path)).toEqual([`View pin ${pin.id}`, 'View order', 'View customer'])
    refused = ['View customer']
    expect(await service.read(path)).toEqual({ id: pin.id, text: 'p', memoId: memos[0].id, noteId: null, note: null })
    const unknown = { code: 'CRUD_ERR_UNKNOWN_REFERENCE', pointers: ['/memoId'] } as const
    await service.refuse('POST', '/api/pin', { text: 'q', memoId: memos[0].id }, unknown)
    expect(await service.read(`/api/order/${id}`)).toMatchObject({ memos })
  })

  test('asks about the resource itself for the root of a tree', async () => {
    const root = { text: 'r', papers: [{ text: 'p' }], folders: [{ text: 'f', papers: [{ text: 'p' }] }] }
    expect(await askedBy('POST', '/api/folder', root)).toEqual(['Add folder', 'View folder', 'Edit folder'])
    const { id, folders, papers } = await service.add('/api/folder', root)
    expect(await askedBy('GET', `/api/folder/${id}`)).toEqual([`View folder ${id}`])
    expect(await askedBy('PATCH', `/api/folder/${id}`, { text: 's' })).toEqual([`Edit folder ${id}`, 'View folder'])
    expect(await askedBy('POST', `/api/folder/${id}/folder`, { text: 's' })).toEqual([
      `Edit folder ${id}`,
      'View folder',
    ])
    expect(await askedBy('DELETE', `/api/folder/${id}/paper/${papers[0].id}`)).toEqual([`Edit folder ${id}`])
    expect(await askedBy('DELETE', `/api/folder/${id}/folder/${folders[0].id}`)).toEqual([`Edit folder ${id}`])
    // Any record of the tree is at this path: the root asks `Delete` of itself, and others ask `Edit` of their owner.
    expect((await askedBy('DELETE', `/api/folder/${id}`)).sort()).toEqual([`Delete folder ${id}`, 'Edit folder'])
  })
})

describeOnBoth('`authorizedBy: owner` of a replaced endpoint', (database) => {
  const asked: string[] = []
  const service = useApp(database, shop, {
    plugin: {
      authorize(_request, { action, resource, id }) {
        asked.push(`${action} ${resource} ${id}`)
        return true
      },
      handlers: {
        note: {
          list: {
            access: { action: 'View' },
            async handler(_request, _reply, next) {
              await next()
            },
          },
          delete: {
            access: { action: 'Edit', id: 'id' },
            async handler(_request, _reply, next) {
              await next()
            },
          },
        },
      },
    },
  })

  test('asks about the owner, and the same of `next()` not again', async () => {
    const { id, lines } = await service.add('/api/order', { text: 'o', lines: [{ text: 'a', notes: [{ text: 'n' }] }] })
    const path = `/api/order/${id}/line/${lines[0].id}/note`
    asked.length = 0
    expect((await service.get(path)).status).toBe(200)
    expect(asked).toEqual([`View order ${id}`])
    expect((await service.delete(`${path}/${lines[0].notes[0].id}`)).status).toBe(204)
    // As `access` says it, and as `next()` does: both are the owner's `Edit`.
    expect(asked.slice(1)).toEqual([`Edit order ${id}`])
  })
})

test('the model of a resource that is `authorizedBy` an owner has one', () => {
  const wrong = { book: { authorizedBy: 'owner', fields: { text } } } as const
  expect(() => defineResources(wrong)).toThrow(
    "book.authorizedBy: there is no owner to ask: the resource has no 'ownedBy' relation",
  )
  const unknown = { book: { authorizedBy: 'parent', fields: { text } } }
  expect(() => defineResources(unknown as never)).toThrow("book.authorizedBy: must be 'owner'")
  // @ts-expect-error: nobody else can be asked
  expect(() => defineResources({ book: { authorizedBy: 'author', fields: { text } } })).toThrow("must be 'owner'")
})

describeOnBoth('`authorizedBy: owner`, with late answers,', (database) => {
  const asked: string[] = []
  const service = useApp(database, shop, {
    plugin: {
      async authorize(_request, { action, resource }) {
        asked.push(`${action} ${resource}`)
        return true
      },
    },
  })

  test('asks the owner once for all that it decides about', async () => {
    const body = { text: 'o', lines: [{ text: 'l', notes: [{ text: 'n' }] }], memos: [{ text: 'm' }] }
    await service.add('/api/order', body)
    expect(asked.splice(0).sort()).toEqual(['Add order', 'Edit order', 'View order'])
    await service.read('/api/order')
    expect(asked.splice(0)).toEqual(['View order'])
  })
})

describeOnBoth('`authorizedBy: owner` where roles decide about a field', (database) => {
  const asked: string[] = []
  const tree = defineResources({
    order: {
      fields: { text, diary: { ...text, default: '', access: { View: ['staff'] } } },
      relations: { lines: owns.many('line') },
    },
    line: {
      authorizedBy: 'owner',
      fields: { text },
      relations: { order: ownedBy('order'), notes: owns.many('note') },
    },
    note: { authorizedBy: 'owner', fields: { text }, relations: { line: ownedBy('line') } },
    pin: { fields: { text }, relations: { note: needs.one('note') } },
  })
  const service = useApp(database, tree, {
    plugin: {
      caller: () => ({}),
      authorize(_request, { action, resource }) {
        asked.push(`${action} ${resource}`)
        return true
      },
    },
  })

  test('asks whoever does not see the field about the owner, at any depth', async () => {
    const order = await service.add('/api/order', { text: 'o', lines: [{ text: 'l', notes: [{ text: 'n' }] }] })
    const [line] = order.lines
    asked.length = 0
    const lines = [{ ...line, notes: [{ text: 'm' }] }]
    const { status, body } = await service.put(`/api/order/${order.id}`, { ...order, lines })
    expect([status, [...new Set(asked)].sort()]).toEqual([200, ['Edit order', 'View order']])
    await service.add('/api/pin', { text: 'p', noteId: body.lines[0].notes[0].id })
    asked.length = 0
    const needed = { code: 'CRUD_ERR_STILL_NEEDED', detail: /by 1 pin record$/ } as const
    await service.refuse('DELETE', `/api/order/${order.id}`, undefined, needed)
    expect([...new Set(asked)].sort()).toEqual(['Delete order', 'Edit order', 'View order', 'View pin'])
  })
})
