import { type Client, ConflictError, createClient } from '@fastify-crud/client'
import { RefineError, type RefineProvider, refineProvider } from '@fastify-crud/refine'
import { beforeEach, describe, expect, test } from 'vitest'
import { describeOnBoth } from '../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../test/support/json-body.ts'
import { actions, shop } from '../../client/test/shop.ts'
import { useService } from '../../client/test/use-service.ts'

describeOnBoth('a form of Refine', (database) => {
  const service = useService(database, shop, { actions } as never)
  let api: Client<typeof shop, typeof actions>
  let data: RefineProvider
  let publisherId: number
  let author: { id: string }
  let book: JsonBody

  const read = async (id: number) => (await data.getOne({ resource: 'book', id })).data as JsonBody
  const save = async (variables: object, meta: object = {}) =>
    (await data.update({ resource: 'book', id: book.id, variables, meta })).data as JsonBody
  const failure = (doing: Promise<unknown>) =>
    doing.then(
      () => expect.fail('it was done'),
      (error: unknown) => error as JsonBody,
    )

  beforeEach(async () => {
    api = createClient<typeof shop, typeof actions>({ url: service.url })
    data = refineProvider(api)
    publisherId = (await api.publisher.create({ name: 'Ink' })).id
    author = { id: (await api.author.create({ name: 'Ann' })).id }
    for (const id of ['a', 'b', 'c']) await api.tag.create({ id, name: id.toUpperCase() })
    const { id } = await api.book.create({
      title: 'Emma',
      price: 5,
      publisherId,
      authors: [author],
      tags: [{ id: 'a' }, { id: 'b' }],
      chapters: [{ title: 'One' }, { title: 'Two' }],
    })
    book = await read(id)
    service.requests()
  })

  describe('that changes a record', () => {
    test('sends what it has, with the ETag among its values', async () => {
      expect(await save({ title: 'Emma!', $etag: book.$etag })).toMatchObject({ title: 'Emma!', price: 5 })
      expect(service.requests()).toEqual([`PATCH /books/${book.id} if-match: ${book.$etag}`])
    })

    test('takes out of arrays what the user has taken out, and nothing else', async () => {
      const [one, two] = book.chapters
      const variables = { $etag: book.$etag, chapters: [{ title: 'New' }, two], tagsIds: ['b', 'c'] }
      const written = await save(variables)
      expect(written.chapters).toMatchObject([{ title: 'New' }, { id: two.id }])
      expect(written.tagsIds).toEqual(['b', 'c'])
      expect(await api.chapter.list({ filter: { id: one.id } })).toMatchObject({ count: 0 })
      const record = await read(book.id)
      expect((await save({ chapters: [] }, { record })).chapters).toEqual([])
    })

    test('changes nothing in the record that somebody else has changed, and says so', async () => {
      await api.book.patch(book.id, { chapters: [{ title: 'Of others' }] })
      for (const change of [{ title: 'x' }, { chapters: [] }]) {
        const error = await failure(save({ ...change, $etag: book.$etag }))
        expect(error).toBeInstanceOf(RefineError)
        expect(error).toMatchObject({ statusCode: 412, code: 'CRUD_ERR_PRECONDITION', errors: {} })
        expect(error.message).toMatch(/^Somebody else has changed this record/)
        expect(error.cause).toBeInstanceOf(ConflictError)
        expect(await error.cause.theirs()).toMatchObject({ title: 'Emma' })
      }
      const error = await failure(save({ ...book, title: 'x' }, { record: book }))
      expect(error.statusCode).toBe(412)
      expect((await read(book.id)).chapters).toHaveLength(3)
      const own = refineProvider(api, { messages: { conflict: 'Too late' } })
      const late = { resource: 'book', id: book.id, variables: { title: 'x', $etag: book.$etag } }
      await expect(own.update(late)).rejects.toThrow('Too late')
    })

    test('without an ETag changes single values only', async () => {
      await api.book.patch(book.id, { price: 7 })
      expect(await save({ title: 'x' })).toMatchObject({ title: 'x', price: 7 })
      await expect(save({ tagsIds: [] })).rejects.toThrow(/needs the record's \$etag among its values/)
    })

    test('has the messages of problems at its fields', async () => {
      const text = expect.any(String)
      const chapters = [...book.chapters, { title: 1 }]
      const error = await failure(save({ $etag: book.$etag, title: '', chapters }))
      expect(error).toMatchObject({ statusCode: 400, errors: { title: text, 'chapters.2.title': text } })
      const unknown = await failure(save({ $etag: book.$etag, tagsIds: ['a', 'b', 'z'] }))
      expect(unknown.errors).toEqual({ tagsIds: text })
    })
  })

  test('creates records, one or many', async () => {
    const variables = { title: 'Ada', publisherId, authorsIds: [author.id], chapters: [{ title: 'One' }] }
    const { data: made } = await data.create({ resource: 'book', variables })
    expect(made).toMatchObject({ id: expect.any(Number), chapters: [{ title: 'One' }], authorsIds: [author.id] })
    const many = await data.createMany({
      resource: 'tag',
      variables: [
        { id: 'y', name: 'Y' },
        { id: 'z', name: 'Z' },
      ],
    })
    expect(many.data).toMatchObject([{ id: 'y' }, { id: 'z' }])
    const error = await failure(data.create({ resource: 'book', variables: { title: '' } }))
    expect(Object.keys(error.errors)).toEqual(['title'])
    expect(error.message).toMatch(/^publisherId: .*; authors: /)
  })

  test('changes and deletes many records at once, or none', async () => {
    const { rows } = await api.publisher.createMany([{ name: 'x' }, { name: 'y' }])
    const ids = rows.map(({ id }) => String(id))
    const tags = await data.updateMany({ resource: 'tag', ids: ['a', 'b'], variables: { name: 'same' } })
    expect(tags.data).toMatchObject([{ name: 'same' }, { name: 'same' }])
    const error = await failure(data.deleteMany({ resource: 'publisher', ids: [...ids, publisherId] }))
    expect(error.message).toMatch(/still needed by 1 book/)
    expect((await api.publisher.list()).count).toBe(3)
    const gone = await data.deleteMany({ resource: 'publisher', ids })
    expect(gone.data).toEqual(ids.map((id) => ({ id })))
    expect((await api.publisher.list()).count).toBe(1)
  })

  test('deletes a record as it was seen, or whatever its state is', async () => {
    await api.book.patch(book.id, { price: 7 })
    const late = { resource: 'book', id: book.id, variables: { $etag: book.$etag } }
    expect((await failure(data.deleteOne(late))).statusCode).toBe(412)
    expect((await failure(data.deleteOne({ resource: 'book', id: book.id, meta: { record: book } }))).statusCode).toBe(
      412,
    )
    expect(await data.deleteOne({ resource: 'book', id: book.id })).toEqual({ data: { id: book.id } })
    const kept = await failure(data.getOne({ resource: 'book', id: book.id }))
    expect(kept.statusCode).toBe(404)
  })

  test('has a trash', async () => {
    const { id } = await api.invoice.create({ total: 3 })
    const deleted = { deleted: true }
    await data.deleteOne({ resource: 'invoice', id, variables: await api.invoice.find(id) })
    expect(await data.getList({ resource: 'invoice', meta: deleted })).toMatchObject({ data: [{ id }], total: 1 })
    const { data: gone } = await data.getOne({ resource: 'invoice', id, meta: deleted })
    const restored = await data.custom({ url: `/invoice/${id}/$restore`, method: 'post', meta: { record: gone } })
    expect(restored.data).toMatchObject({ id, status: 'sent' })
    await data.deleteMany({ resource: 'invoice', ids: [id] })
    const { data: again } = await data.getOne({ resource: 'invoice', id, meta: deleted })
    await data.deleteOne({ resource: 'invoice', id, meta: { ...deleted, record: again } })
    expect((await data.getList({ resource: 'invoice', meta: deleted })).total).toBe(0)
  })

  test('carries out actions', async () => {
    const { id } = await api.invoice.create({ total: 3 })
    const record = (await data.getOne({ resource: 'invoice', id })).data
    const pay = (payload: object, meta: object) =>
      data.custom({ url: `invoice/${id}/$act/pay`, method: 'post', payload, meta })
    expect((await pay({ by: 'Ada' }, { record })).data).toMatchObject({ status: 'paid by Ada' })
    expect((await failure(pay({ by: 'Ada' }, { record }))).message).toMatch(/^Somebody else/)
    const isPaid = { url: `invoice/${id}/$act/isPaid`, method: 'get', query: { by: 'Ada' } } as const
    expect(await data.custom(isPaid)).toEqual({ data: true })
    const sums = { url: 'invoice/$act/sums', method: 'post', query: { above: [1, 3] } } as const
    expect(await data.custom(sums)).toEqual({ data: [1, 0] })
    for (const url of [
      'invoice',
      'invoice/7',
      'invoice/$act',
      'invoice/$restore',
      'a/b/c/$act/d',
      'x/$act/y/z',
      '$group',
    ])
      await expect(data.custom({ url, method: 'post' })).rejects.toThrow(`not '${url}'`)
  })

  test('leaves the errors of the network as they are', async () => {
    const lost = createClient<typeof shop>({
      url: service.url,
      retries: 0,
      fetch: () => Promise.reject(new TypeError('no network')),
    })
    await expect(refineProvider(lost).getList({ resource: 'book' })).rejects.toThrow(new TypeError('no network'))
  })
})
