import { type Client, ConflictError, createClient } from '@fastify-crud/client'
import { reactAdminProvider } from '@fastify-crud/react-admin'
import { beforeEach, describe, expect, test } from 'vitest'
import { describeOnBoth } from '../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../test/support/json-body.ts'
import { actions, shop } from '../../client/test/shop.ts'
import { useService } from '../../client/test/use-service.ts'

describeOnBoth('a form of react-admin', (database) => {
  const service = useService(database, shop, { actions } as never)
  let api: Client<typeof shop, typeof actions>
  let data: ReturnType<typeof reactAdminProvider>
  let publisherId: number
  let author: { id: string }
  let book: JsonBody

  const read = async (id: number) => (await data.getOne('book', { id })).data
  const save = async (form: object, previousData: JsonBody = book) =>
    (await data.update('book', { id: book.id, data: form, previousData })).data
  const failure = (doing: Promise<unknown>) =>
    doing.then(
      () => expect.fail('it was done'),
      (error: unknown) => error as JsonBody,
    )

  beforeEach(async () => {
    api = createClient<typeof shop, typeof actions>({ url: service.url })
    data = reactAdminProvider(api)
    publisherId = (await api.publisher.create({ name: 'Ink' })).id
    author = { id: (await api.author.create({ name: 'Ann' })).id }
    for (const id of ['a', 'b', 'c']) await api.tag.create({ id, name: id.toUpperCase() })
    const { id } = await api.book.create({
      title: 'Emma',
      price: 5,
      publisherId,
      authors: [author],
      tags: [{ id: 'a' }, { id: 'b' }],
      chapters: [{ title: 'One', notes: [{ text: 'n' }] }, { title: 'Two' }, { title: 'Three' }],
      cover: { url: 'u' },
    })
    book = await read(id)
    service.requests()
  })

  describe('that changes a record', () => {
    test('sends only what it has changed, with the ETag of what it has read', async () => {
      let body: unknown
      const spy = createClient<typeof shop>({
        url: service.url,
        fetch: async (input, init) => {
          if (init?.method === 'PATCH') body = JSON.parse(String(init.body))
          return await fetch(input, init)
        },
      })
      const form = { ...book, title: 'Emma!', notes: { read: new Date(0), by: undefined } }
      const written = await reactAdminProvider(spy).update('book', { id: book.id, data: form, previousData: book })
      expect(body).toEqual({ title: 'Emma!', notes: { read: '1970-01-01T00:00:00.000Z' } })
      expect(service.requests().at(-1)).toBe(`PATCH /books/${book.id} if-match: ${book.$etag}`)
      expect(written.data).toEqual(await read(book.id))
    })

    test('changes, adds, removes and orders what it owns, and nothing of what it does not show', async () => {
      const [one, two, three] = book.chapters
      const chapters = [three, { title: 'New' }, { ...one, title: 'Eins', notes: [...one.notes, { text: 'm' }] }]
      const written = await save({ ...book, chapters })
      expect(written.chapters).toMatchObject([
        { id: three.id, title: 'Three' },
        { title: 'New', notes: [] },
        { id: one.id, title: 'Eins', notes: [{ id: one.notes[0].id, text: 'n' }, { text: 'm' }] },
      ])
      expect(await api.chapter.list({ filter: { id: two.id } })).toMatchObject({ count: 0 })
      expect((await save({ ...written, cover: null }, written)).cover).toBeNull()
      const again = await read(book.id)
      expect((await save({ ...again, cover: { url: 'v' }, chapters: [] }, again)).chapters).toEqual([])
      expect((await read(book.id)).cover).toMatchObject({ url: 'v' })
    })

    test('chooses links by their ids, in their order, or by the records', async () => {
      const written = await save({ ...book, tagsIds: ['c', 'a'] })
      expect([written.tagsIds, written.tags.map(({ id }: JsonBody) => id)]).toEqual([
        ['c', 'a'],
        ['c', 'a'],
      ])
      const tags = [...written.tags.toReversed(), { id: 'b', name: 'of a form' }]
      expect((await save({ ...written, tags }, written)).tagsIds).toEqual(['a', 'c', 'b'])
      expect(await api.tag.find('b')).toMatchObject({ name: 'B' })
    })

    test('clears what is cleared, and keeps what only an empty input stands for', async () => {
      await save({ ...book, notes: 'x' })
      const { notes, ...part } = await read(book.id)
      expect(notes).toBe('x')
      expect(await save({ ...part, notes: null }, part)).toMatchObject({ notes: 'x' })
      const whole = await read(book.id)
      expect(await save({ ...whole, notes: null }, whole)).toMatchObject({ notes: null })
    })

    test('of a composite resource replaces an element whose id has another part', async () => {
      const { id } = await api.order.create({ name: 'first', lines: [{ productId: 'a', count: 1 }] })
      const { data: order } = await data.getOne('order', { id })
      const lines = [{ ...order.lines[0], productId: 'b' }]
      const { data: changed } = await data.update('order', { id, data: { ...order, lines }, previousData: order })
      expect(changed.lines).toMatchObject([{ id: 'b', productId: 'b', count: 1 }])
    })

    test('changes nothing in the record that somebody else has changed, and says so', async () => {
      await api.book.patch(book.id, { chapters: [{ title: 'Of others' }] })
      const error = await failure(save({ ...book, chapters: book.chapters.slice(1) }))
      expect(error).toMatchObject({ status: 412, code: 'CRUD_ERR_PRECONDITION', body: {} })
      expect(error.message).toMatch(/^Somebody else has changed this record/)
      expect(error.cause).toBeInstanceOf(ConflictError)
      expect((await read(book.id)).chapters).toHaveLength(4)
    })

    test('is in conflict, too, if the page has read a later state than the form began with', async () => {
      await api.book.patch(book.id, { price: 7 })
      const error = await failure(save({ ...book, title: 'Emma!' }, await read(book.id)))
      expect(error.status).toBe(412)
    })

    test('says a conflict in the words of the application', async () => {
      const own = reactAdminProvider(api, { messages: { conflict: 'shop.conflict' } })
      await api.book.patch(book.id, { price: 7 })
      const late = { id: book.id, data: { ...book, title: 'x' }, previousData: book }
      expect((await failure(own.update('book', late))).message).toBe('shop.conflict')
    })

    test('writes a part of a record whatever its state is, and takes nothing from arrays without their ETag', async () => {
      await api.book.patch(book.id, { price: 7 })
      const { data: written } = await data.update('book', {
        id: book.id,
        data: { title: 'x' },
        previousData: undefined,
      })
      expect(written).toMatchObject({ title: 'x', price: 7 })
      const arrays = { id: book.id, data: { chapters: [] }, previousData: undefined }
      await expect(data.update('book', arrays)).rejects.toThrow(/needs the record's \$etag among its values/)
      const { data: emptied } = await data.update('book', {
        ...arrays,
        data: { chapters: [], $etag: written.$etag },
      })
      expect(emptied.chapters).toEqual([])
      const late = { ...arrays, data: { chapters: [], $etag: written.$etag } }
      expect((await failure(data.update('book', late))).status).toBe(412)
    })

    test('has the messages of problems at its inputs', async () => {
      const chapters = [...book.chapters.slice(1), { title: 1 }]
      const error = await failure(save({ ...book, title: '', chapters }))
      const text = expect.any(String)
      expect(error).toMatchObject({ status: 400, body: { errors: { title: text, 'chapters.2.title': text } } })
      expect(error.body.errors.root).toBeUndefined()
      const unknown = await failure(save({ ...book, tagsIds: ['a', 'b', 'z'], publisherId: 999_999 }))
      expect(unknown.body.errors).toMatchObject({ tagsIds: text, publisherId: text })
      const none = await failure(save({ ...book, authorsIds: [] }))
      expect(none).toMatchObject({ body: {}, message: `book ${book.id} needs at least one author` })
    })
  })

  describe('that creates a record', () => {
    test('creates it with what it owns and its links', async () => {
      const values = { title: 'Ada', publisherId, authorsIds: [author.id], price: null, chapters: [{ title: 'One' }] }
      const { data: made } = await data.create('book', { data: values })
      expect(made).toMatchObject({
        id: expect.any(Number),
        price: 0,
        chapters: [{ title: 'One' }],
        $etag: expect.any(String),
      })
      expect(made.authorsIds).toEqual([author.id])
    })

    test('clones a record with what it owns', async () => {
      const { id, ...copy } = book
      const { data: made } = await data.create('book', { data: copy })
      expect(made.id).not.toBe(id)
      expect(made).toMatchObject({
        title: 'Emma',
        tagsIds: ['a', 'b'],
        chapters: [{ title: 'One', notes: [{ text: 'n' }] }, {}, {}],
      })
      expect(await read(id)).toEqual(book)
    })

    test('gives it the id that it says', async () => {
      expect((await data.create('tag', { data: { id: 'z', name: 'Z' } })).data).toMatchObject({ id: 'z', name: 'Z' })
      const id = book.id + 1_000
      const chosen = { id, title: 'Ada', publisherId, authorsIds: [author.id] }
      expect((await data.create('book', { data: chosen })).data.id).toBe(id)
    })

    test('has messages only at inputs that it has', async () => {
      const error = await failure(data.create('book', { data: { title: '', chapters: [{ title: 1 }] } }))
      expect(Object.keys(error.body.errors).sort()).toEqual(['chapters.0.title', 'root', 'title'])
      expect(error.body.errors.root).toEqual({ serverError: error.message })
      expect(error.message).toMatch(/^publisherId: .*; authors: /)
    })
  })

  test('changes many records at once, or none', async () => {
    const { id } = await api.book.create({ title: 'Ada', publisherId, authors: [author] })
    expect(await data.updateMany('book', { ids: [book.id, String(id)], data: { price: 9 } })).toEqual({
      data: [book.id, String(id)],
    })
    expect(service.requests().filter((one) => one.startsWith('PATCH'))).toEqual(['PATCH /books'])
    expect((await api.book.list({ filter: { price: 9 } })).count).toBe(2)
    const error = await failure(data.updateMany('book', { ids: [id, 999_999], data: { price: 1 } }))
    expect(error.status).toBe(404)
    expect((await api.book.find(id)).price).toBe(9)
  })

  describe('a deletion', () => {
    test('is done to the record that was seen', async () => {
      await api.book.patch(book.id, { price: 7 })
      const error = await failure(data.delete('book', { id: book.id, previousData: book }))
      expect(error).toMatchObject({ status: 412, message: expect.stringMatching(/^Somebody else/) })
      const seen = await read(book.id)
      expect(await data.delete('book', { id: book.id, previousData: seen })).toEqual({ data: seen })
      expect((await failure(data.getOne('book', { id: book.id }))).status).toBe(404)
    })

    test('names what keeps the record', async () => {
      const error = await failure(data.delete('publisher', { id: publisherId }))
      expect(error).toMatchObject({ status: 409, code: 'CRUD_ERR_STILL_NEEDED' })
      expect(error.message).toMatch(/still needed by 1 book/)
    })

    test('of many is one request, and all or none', async () => {
      const { rows } = await api.publisher.createMany([{ name: 'x' }, { name: 'y' }])
      const ids = rows.map(({ id }) => id)
      const error = await failure(data.deleteMany('publisher', { ids: [...ids, publisherId] }))
      expect(error.message).toMatch(/still needed by/)
      expect((await api.publisher.list()).count).toBe(3)
      service.requests()
      expect(await data.deleteMany('publisher', { ids })).toEqual({ data: ids })
      expect(service.requests()).toHaveLength(1)
      expect((await api.publisher.list()).count).toBe(1)
      expect(await data.deleteMany('publisher', { ids: [] })).toEqual({ data: [] })
    })

    test('of very many ids needs several requests', async () => {
      const made = await api.author.createMany(Array.from({ length: 300 }, (_, index) => ({ name: `${index}` })))
      service.requests()
      await data.deleteMany('author', { ids: made.rows.map(({ id }) => id) })
      expect(service.requests().length).toBeGreaterThan(1)
      expect((await api.author.list()).count).toBe(1)
    })
  })

  describe('a resource with a trash', () => {
    test('lists, restores and purges what was deleted', async () => {
      const { id } = await api.invoice.create({ total: 3 })
      const { data: invoice } = await data.getOne('invoice', { id })
      await data.delete('invoice', { id, previousData: invoice })
      expect(await data.getList('invoice', {})).toMatchObject({ data: [], total: 0 })
      const trash = await data.getList('invoice', { meta: { deleted: true }, filter: { total: 3 } })
      expect(trash).toMatchObject({ data: [{ id, total: 3 }], total: 1 })
      const { data: gone } = await data.getOne('invoice', { id, meta: { deleted: true } })
      expect((await data.restore('invoice', { id, previousData: gone })).data).toMatchObject({ id, status: 'sent' })
      await data.deleteMany('invoice', { ids: [id] })
      const { data: again } = await data.getOne('invoice', { id, meta: { deleted: true } })
      expect(await data.purge('invoice', { id, previousData: again })).toEqual({ data: again })
      expect((await data.getList('invoice', { meta: { deleted: true } })).total).toBe(0)
    })

    test('takes many updates without an ETag, where single ones need it', async () => {
      const { rows } = await api.invoice.createMany([{ total: 1 }, { total: 2 }])
      await data.updateMany('invoice', { ids: rows.map(({ id }) => id), data: { status: 'late' } })
      expect((await api.invoice.list({ filter: { status: 'late' } })).count).toBe(2)
    })
  })

  describe('an action', () => {
    test('is carried out for the record that was seen, or for an id', async () => {
      const { id } = await api.invoice.create({ total: 3 })
      const { data: record } = await data.getOne('invoice', { id })
      const pay = (more: object) => data.act('invoice', { action: 'pay', data: { by: 'Ada' }, ...more })
      expect((await pay({ record })).data).toMatchObject({ id, status: 'paid by Ada', $etag: expect.any(String) })
      expect((await failure(pay({ record }))).message).toMatch(/^Somebody else/)
      const isPaid = { action: 'isPaid', id, query: { by: 'Ada' } }
      expect(await data.act('invoice', isPaid)).toEqual({ data: true })
      const error = await failure(
        data.act('invoice', { action: 'pay', record: await api.invoice.find(id), data: { by: 'nobody' } }),
      )
      expect(error.message).toMatch(/somebody has to pay/)
    })

    test('of the list has no record', async () => {
      await api.invoice.create({ total: 3 })
      expect(await data.act('invoice', { action: 'sums', query: { above: [1, 3] } })).toEqual({ data: [1, 0] })
    })
  })

  test('leaves the errors of the network as they are', async () => {
    const lost = createClient<typeof shop>({
      url: service.url,
      retries: 0,
      fetch: () => Promise.reject(new TypeError('no network')),
    })
    await expect(reactAdminProvider(lost).getList('book', {})).rejects.toThrow(new TypeError('no network'))
  })
})
