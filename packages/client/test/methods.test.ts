import { ConflictError, createClient, EffectsChangedError, ServiceError } from '@fastify-crud/client'
import type { HistoryEntry } from '@fastify-crud/core'
import { describe, expect, test } from 'vitest'
import { describeOnBoth } from '../../../test/support/describe-on-databases.ts'
import { actions, shop } from './shop.ts'
import { useService } from './use-service.ts'

const NONE = '00000000-0000-7000-8000-000000000000'

async function errorOf(promise: Promise<unknown>): Promise<ServiceError> {
  const error = await promise.then(
    () => undefined,
    (refused: unknown) => refused,
  )
  expect(error).toBeInstanceOf(ServiceError)
  return error as ServiceError
}

describeOnBoth('a client', (database) => {
  const service = useService(database, shop, { actions } as never)
  const client = () => createClient<typeof shop, typeof actions>({ url: service.url })

  /** A publisher, an author and a book with two chapters. */
  const fill = async (api = client()) => {
    const publisher = await api.publisher.create({ name: 'Ink' })
    const author = await api.author.create({ name: 'Ada' })
    const book = await api.book.create({
      title: 'Plans',
      publisherId: publisher.id,
      authors: [author],
      chapters: [{ title: 'One' }, { title: 'Two' }],
    })
    return { api, publisher, author, book }
  }

  describe('reads', () => {
    test('a record by its id, whole with its ETag or as the query chooses it', async () => {
      const { api, book } = await fill()
      expect(book).toMatchObject({ title: 'Plans', price: 0, $etag: expect.stringMatching(/^"[\w-]+"$/) })
      expect(await api.book.find(book.id)).toEqual(book)
      const part = await api.book.find(book.id, { fields: ['title', 'publisher.name'], include: ['authors'] })
      expect(part).toMatchObject({
        id: book.id,
        title: 'Plans',
        publisher: { name: 'Ink' },
        authors: [{ name: 'Ada' }],
      })
      expect(part).not.toHaveProperty('$etag')
      expect(await errorOf(api.book.find(book.id + 1))).toMatchObject({ status: 404, code: 'CRUD_ERR_NOT_FOUND' })
    })

    test('pages, with filters, sorts, searches, fields, nested arrays and counts', async () => {
      const { api, publisher, author, book } = await fill()
      await api.book.create({ title: 'Nibs & "ink", 100%', price: 5, publisherId: publisher.id, authors: [author] })
      const page = await api.book.list({
        filter: { price: { gte: 1 }, 'publisher.name': 'Ink' },
        sort: ['-title', 'id'],
        count: 'exact',
      })
      expect(page).toEqual({ rows: [expect.objectContaining({ title: 'Nibs & "ink", 100%' })], count: 1 })
      expect((await api.book.list({ search: '100% & nibs' })).count).toBe(1)
      expect((await api.book.list({ filter: { title: 'Nibs & "ink", 100%' } })).count).toBe(1)
      const nested = await api.book.list({
        fields: ['title', 'chapters.title', 'count(chapters)'],
        nested: { chapters: { limit: 1, sort: ['-title'], filter: { title: { startsWith: 'T' } } } },
        limit: 1,
      })
      expect(nested.rows).toEqual([
        {
          id: book.id,
          title: 'Plans',
          chapters: [expect.objectContaining({ title: 'Two' })],
          'count(chapters)': 2,
          partial: true,
        },
      ])
      expect(await api.book.list({ limit: 1, count: 'none' })).toMatchObject({ next: expect.any(String) })
      expect((await api.book.list()).count).toBe(2)
      expect(await errorOf(api.book.list({ sort: ['titel' as 'title'] }))).toMatchObject({ status: 400 })
    })

    test('all records, page by page', async () => {
      const api = client()
      await api.tag.createMany(Array.from({ length: 250 }, (_, index) => ({ id: `t${index}`, name: `${index % 10}` })))
      service.requests()
      const ids: string[] = []
      for await (const { id } of api.tag.all({ sort: ['name'], fields: ['id'] })) ids.push(id)
      expect([ids.length, new Set(ids).size]).toEqual([250, 250])
      expect(service.requests().filter((request) => request.startsWith('GET /tag'))).toHaveLength(3)
      for await (const _ of api.tag.all({ limit: 2, filter: { name: '7' } })) break
      expect(service.requests()).toHaveLength(1)
      const rows = []
      for await (const row of api.tag.all({ limit: 20, filter: { name: '7' }, etags: true })) rows.push(row)
      expect(rows.every(({ $etag }) => $etag.startsWith('"'))).toBe(true)
    })

    test('rows of a list with their ETags, if it is asked for', async () => {
      const { api, book } = await fill()
      const { rows } = await api.book.list({ etags: true, filter: { id: book.id } })
      expect(rows).toEqual([book])
      expect((await api.book.list()).rows[0]).not.toHaveProperty('$etag')
      expect((await api.book.list({ etags: true, fields: ['title'] })).rows[0]).not.toHaveProperty('$etag')
    })

    test('groups', async () => {
      const { api, publisher } = await fill()
      const { rows } = await api.book.group({
        by: ['publisher.name'],
        values: ['count()', 'max(price)'],
        having: { 'count()': { gte: 1 } },
      })
      expect(rows).toEqual([{ 'publisher.name': publisher.name, 'count()': 1, 'max(price)': 0 }])
      expect((await api.publisher.group()).rows).toEqual([{ 'count()': 1 }])
    })

    test('what is too long for a URL, by a body', async () => {
      const { api, book } = await fill()
      service.requests()
      const ids = Array.from({ length: 500 }, (_, index) => book.id + index)
      const filter = { id: { in: ids } }
      const { rows, count } = await api.book.list({ filter, sort: ['title'], limit: 5, etags: true })
      expect({ rows, count }).toEqual({ rows: [book], count: 1 })
      expect((await api.book.group({ filter, by: ['title'] })).rows).toEqual([{ title: 'Plans', 'count()': 1 }])
      expect(service.requests().map((request) => request.split(' ').slice(0, 2).join(' '))).toEqual([
        'POST /books/$list',
        'POST /books/$group',
      ])
    })
  })

  describe('writes', () => {
    test('a record that it has read, as long as nobody else has changed it', async () => {
      const { api, book } = await fill()
      service.requests()
      const cheap = await api.book.patch(book, { price: 1 })
      expect(cheap).toEqual({ ...book, price: 1, $etag: expect.any(String) })
      expect(service.requests()).toEqual([`PATCH /books/${book.id} if-match: ${book.$etag}`])
      const conflict = await errorOf(api.book.patch(book, { price: 2 }))
      expect(conflict).toBeInstanceOf(ConflictError)
      const { base, mine, theirs } = conflict as ConflictError
      expect({ status: conflict.status, code: conflict.code, base, mine }).toEqual({
        status: 412,
        code: 'CRUD_ERR_PRECONDITION',
        base: book,
        mine: { price: 2 },
      })
      expect(await theirs.call(conflict as ConflictError)).toEqual(cheap)
      expect(await errorOf(api.book.replace(book, book))).toBeInstanceOf(ConflictError)
      expect(await errorOf(api.book.delete(book))).toBeInstanceOf(ConflictError)
      const same = await api.book.replace(cheap, { ...cheap, title: 'New' })
      await api.book.delete(same)
      expect((await api.book.list()).count).toBe(0)
    })

    test('a record by its id, whatever its state is', async () => {
      const { api, book } = await fill()
      await api.book.patch(book, { price: 1 })
      expect(await api.book.patch(book.id, { price: { $add: 2 } })).toMatchObject({ price: 3 })
      expect(await api.book.replace(book.id, book)).toEqual(book)
      await api.book.delete(book.id)
      expect(await errorOf(api.book.delete(book.id))).toMatchObject({ status: 404 })
    })

    test('no record whose state is not known', async () => {
      const { api } = await fill()
      const [row] = (await api.book.list()).rows
      await expect(api.book.patch(row as never, { price: 1 })).rejects.toThrow(/the record has no \$etag/)
      const { rows } = await api.book.list({ etags: true })
      for (const book of rows) expect(await api.book.patch(book, { price: 1 })).toMatchObject({ price: 1 })
    })

    test('an ETag survives JSON and clones, and is in no body', async () => {
      const { api, book, author } = await fill()
      const copy = structuredClone(JSON.parse(JSON.stringify(book)) as typeof book)
      const notes = { $etag: 'of the application' }
      const changed = await api.book.replace(copy, { ...copy, notes, authors: [author] })
      expect(changed).toMatchObject({ title: 'Plans', notes })
      const { rows } = await api.publisher.createMany([{ name: 'a', $etag: '"x"' } as never, { name: 'b' }])
      expect(rows).toHaveLength(2)
    })

    test('a new record under an id that it chooses', async () => {
      const { api } = await fill()
      expect(await api.author.create({ name: 'Bob' }, { id: NONE })).toMatchObject({ id: NONE, name: 'Bob' })
      expect(await errorOf(api.author.create({ name: 'Bob' }, { id: NONE }))).toMatchObject({ code: 'CRUD_ERR_EXISTS' })
    })

    test('errors say where in the body they are, and what is in the way', async () => {
      const { api, publisher } = await fill()
      const body = {
        title: '',
        publisherId: publisher.id,
        authors: [],
        chapters: [{ title: 'a' }, { title: 7 as never }],
      }
      const error = await errorOf(api.book.create(body))
      expect(error.forField('title')?.keyword).toBe('minLength')
      expect(error.forField('chapters', 1, 'title')).toMatchObject({ message: 'must be string' })
      expect(error.forField('price')).toBeUndefined()
      expect(error).toMatchObject({
        name: 'ServiceError',
        status: 400,
        code: 'CRUD_ERR_INVALID',
        message: expect.stringContaining('title'),
      })
      const needed = await errorOf(api.publisher.delete(publisher))
      expect(needed.blockers).toEqual([{ resource: 'book', relation: 'publisher', count: 1 }])
    })

    test('nothing with dryRun, and says what the result would be', async () => {
      const { api, book } = await fill()
      const would = await api.book.patch(book, { price: 9 }, { dryRun: true })
      expect(would).toMatchObject({ price: 9 })
      expect(would).not.toHaveProperty('$etag')
      await api.book.delete(book, { dryRun: true })
      expect(await errorOf(api.publisher.delete(book.publisherId, { dryRun: true }))).toMatchObject({
        code: 'CRUD_ERR_STILL_NEEDED',
      })
      expect(await api.book.find(book.id)).toEqual(book)
    })

    test('many records at once', async () => {
      const { api } = await fill()
      const { rows } = await api.tag.createMany([
        { id: 'a', name: '1' },
        { id: 'b', name: '2' },
      ])
      expect(rows).toEqual([
        { id: 'a', name: '1' },
        { id: 'b', name: '2' },
      ])
      expect(await api.tag.patchMany([{ id: 'a', name: '3' }])).toEqual({ rows: [{ id: 'a', name: '3' }] })
      expect(await api.tag.replaceMany([{ id: 'b', name: '4' }])).toEqual({ rows: [{ id: 'b', name: '4' }] })
      expect(await api.publisher.upsert({ name: 'Nib' }, { by: ['name'] })).toMatchObject({
        record: { name: 'Nib' },
        isNew: true,
      })
      const { record, isNew } = await api.publisher.upsert({ name: 'Ink' }, { by: ['name'] })
      expect([await api.publisher.find(record.id), isNew]).toEqual([record, false])
      expect((await api.publisher.upsertMany([{ name: 'Ink' }, { name: 'New' }], { by: ['name'] })).rows).toHaveLength(
        2,
      )
      const filter = { name: { in: ['3', '4'] } }
      expect(await api.tag.patchMatching({ filter, maxAffected: 2 }, { name: '5' })).toEqual({ count: 2 })
      expect(await errorOf(api.tag.deleteMatching({ filter: { name: '5' }, maxAffected: 1 }))).toMatchObject({
        code: 'CRUD_ERR_TOO_LARGE',
      })
      expect(await api.tag.deleteMatching({ filter: { name: '5' }, maxAffected: 2 })).toEqual({ count: 2 })
    })
  })

  describe('follows relations', () => {
    test('to what records own, at any depth', async () => {
      const { api, book } = await fill()
      const chapters = api.book.owned(book.id, 'chapters')
      const chapter = await chapters.create({ title: 'Three' })
      expect((await chapters.list({ sort: ['title'] })).rows.map(({ title }) => title)).toEqual(['One', 'Three', 'Two'])
      const notes = chapters.owned(chapter.id, 'notes')
      const note = await notes.create({ text: 'x' })
      expect(await notes.patch(note, { text: 'y' })).toMatchObject({ text: 'y' })
      expect(await errorOf(api.book.owned(book.id + 1, 'chapters').list())).toMatchObject({ status: 404 })
      expect(await api.chapter.find(chapter.id)).toMatchObject({ title: 'Three', bookId: book.id })
      const cover = api.book.owned(book.id, 'cover')
      await cover.create({ url: '/a.png' })
      expect((await cover.list()).rows).toMatchObject([{ url: '/a.png' }])
    })

    test('in trees, and to what their records own', async () => {
      const api = client()
      const root = await api.folder.create({ name: 'a', folders: [{ name: 'b', folders: [{ name: 'c' }] }] })
      const [b] = root.folders
      const folders = api.folder.owned(b?.id as number, 'folders')
      const [c] = (await folders.list()).rows
      const files = folders.owned(c?.id as number, 'files')
      expect(await files.create({ name: 'x' })).toMatchObject({ name: 'x' })
      expect(await folders.owned(c?.id as number, 'folders').create({ name: 'd' })).toMatchObject({ name: 'd' })
    })

    test('to records with ids of several parts', async () => {
      const api = client()
      await api.tag.create({ id: 'a,b/c', name: 'x' }).catch(() => undefined)
      await api.tag.create({ id: 'ab c', name: 'x' })
      const order = await api.order.create({ name: 'o', lines: [{ productId: 'ab c', count: 1 }] })
      const lines = api.order.owned(order.id, 'lines')
      const line = await lines.find('ab c')
      expect(line).toMatchObject({ id: 'ab c', count: 1 })
      expect(await lines.patch(line, { count: 2 })).toMatchObject({ id: 'ab c', count: 2 })
    })

    test('to linked records', async () => {
      const { api, book } = await fill()
      await api.tag.createMany([
        { id: 'a', name: '1' },
        { id: 'b', name: '2' },
      ])
      const tags = api.book.linked(book.id, 'tags')
      await tags.add('a')
      await tags.add('b', { before: 'a' })
      expect((await tags.list()).rows.map(({ id }) => id)).toEqual(expect.arrayContaining(['a', 'b']))
      expect((await api.book.find(book.id)).tags.map(({ id }) => id)).toEqual(['b', 'a'])
      await tags.remove('a', { dryRun: true })
      await tags.remove('b')
      expect((await tags.list({ sort: ['-name'] })).rows).toEqual([{ id: 'a', name: '1' }])
      expect(await errorOf(tags.add('z'))).toMatchObject({ status: 404 })
    })
  })

  describe('carries out', () => {
    test('actions of a record, with the state that was read or without', async () => {
      const api = client()
      const invoice = await api.invoice.create({ total: 5 })
      const paid = await api.invoice.act(invoice, 'pay', { by: 'Ada' })
      expect(paid).toMatchObject({ status: 'paid by Ada', $etag: expect.any(String) })
      expect(await errorOf(api.invoice.act(invoice, 'pay', { by: 'Bob' }))).toBeInstanceOf(ConflictError)
      expect(await errorOf(api.invoice.act(invoice.id, 'pay', { by: 'Bob' }))).toMatchObject({ status: 428 })
      expect(await errorOf(api.invoice.act(paid as never, 'pay', { by: 'nobody' }))).toMatchObject({
        message: 'somebody has to pay',
      })
      expect(await api.invoice.act(invoice.id, 'isPaid', undefined, { query: { by: 'Ada' } })).toBe(true)
      await expect(api.invoice.act(invoice.id, 'burn' as 'pay', { by: '' })).rejects.toThrow(TypeError)
    })

    test('actions of a list', async () => {
      const api = client()
      await api.invoice.createMany([{ total: 5 }, { total: 9 }])
      expect(await api.invoice.act('sums', undefined, { query: { above: [4, 6] } })).toEqual([2, 1])
      expect(await api.invoice.act('clear')).toBeUndefined()
      expect((await api.invoice.list()).count).toBe(0)
    })

    test('the history of a record, and an undo that is shown first', async () => {
      const api = client()
      const folder = await api.folder.create({ name: 'a' })
      const file = await api.folder.owned(folder.id, 'files').create({ name: 'f' })
      const { $etag } = await api.folder.patch(folder.id, { name: 'b', files: [{ id: file.id, $remove: true }] })
      const { rows, next } = await api.folder.history(folder.id, {
        limit: 1,
        filter: { operation: ['patch', 'create'] },
      })
      expect(rows.map(({ operation }) => operation)).toEqual(['patch'])
      expect((await api.folder.history(folder.id, { after: next as string })).rows).toHaveLength(2)
      const [{ write }] = rows as [HistoryEntry]
      expect(await api.folder.historyEntry(folder.id, write)).toEqual(rows[0])
      const shown = await api.folder.preview.undo({ id: folder.id, $etag }, write)
      expect(shown.changes).toHaveLength(2)
      const now = await api.folder.find(folder.id, { at: '2999-01-01T00:00:00Z' })
      expect(now).toEqual({ id: folder.id, name: 'b', folders: [], files: [] })
      const before = api.folder.find(folder.id, { at: '1970-01-01T00:00:00Z' })
      expect(await errorOf(before)).toMatchObject({ status: 404, code: 'CRUD_ERR_NOT_FOUND' })
      expect(await shown.confirm()).toMatchObject({ name: 'a', files: [{ id: file.id, name: 'f' }] })
      const all = await api.folder.history(folder.id)
      const of = await api.folder.owned(folder.id, 'files').history(file.id)
      expect(of.rows.map(({ operation }) => operation)).toEqual(['undo', 'patch', 'create'])
      const created = all.rows.at(-1)?.write as string
      expect(await errorOf(api.folder.undo(folder.id, created))).toMatchObject({
        status: 409,
        code: 'CRUD_ERR_CHANGED',
      })
    })

    test('what a trash allows', async () => {
      const api = client()
      const invoice = await api.invoice.create({ total: 5 })
      await api.invoice.delete(invoice)
      const { rows } = await api.invoice.deleted.list({ filter: { goneAt: { gte: '2020-01-01T00:00:00Z' } } })
      expect(rows).toEqual([{ id: invoice.id, total: 5, status: 'sent', goneAt: expect.any(String) }])
      const deleted = await api.invoice.deleted.find(invoice.id)
      expect(deleted).toMatchObject({ total: 5, $etag: expect.any(String) })
      expect(await api.invoice.restore(deleted)).toEqual(invoice)
      await api.invoice.delete(invoice)
      expect(await errorOf(api.invoice.purge({ ...deleted, $etag: '"other"' }))).toBeInstanceOf(ConflictError)
      await api.invoice.purge(await api.invoice.deleted.find(invoice.id))
      for await (const row of api.invoice.deleted.all()) expect(row).toBeUndefined()
    })
  })

  describe('shows a write first', () => {
    test('and does exactly that when it is confirmed', async () => {
      const { api, book } = await fill()
      const preview = await api.book.preview.delete(book)
      expect(preview).toMatchObject({ effects: 1, operation: 'delete', resource: 'book', id: book.id })
      expect(preview.changes.map(({ action, resource }) => `${action} ${resource}`)).toEqual(
        expect.arrayContaining(['Delete book', 'Delete chapter']),
      )
      expect(JSON.parse(JSON.stringify(preview))).toEqual({ ...preview })
      expect(await api.book.find(book.id)).toEqual(book)
      expect(await preview.confirm()).toBeUndefined()
      expect((await api.book.list()).count).toBe(0)
    })

    test('and resolves to the record, as the write does', async () => {
      const { api, publisher, author, book } = await fill()
      const body = { title: 'New', publisherId: publisher.id, authors: [author] }
      const created = await (await api.book.preview.create(body)).confirm()
      expect(created).toMatchObject({ title: 'New', $etag: expect.any(String) })
      const patched = await (await api.book.preview.patch(book, { price: 3 })).confirm()
      expect(patched).toMatchObject({ price: 3, $etag: expect.any(String) })
      const { changes, confirm } = await api.book.preview.replace(patched, { ...patched, chapters: [] })
      expect(changes.map(({ because }) => because)).toContain('leftOut')
      expect(await confirm()).toMatchObject({ chapters: [] })
    })

    test('of any kind', async () => {
      const { api, book } = await fill()
      const bodies = [
        { id: 'a', name: '1' },
        { id: 'b', name: '2' },
      ]
      expect(await (await api.tag.preview.createMany(bodies)).confirm()).toEqual({ rows: bodies })
      const matching = await api.tag.preview.patchMatching({ filter: { name: '1' }, maxAffected: 5 }, { name: '3' })
      expect(matching.changes).toMatchObject([
        { action: 'Edit', resource: 'tag', before: { name: '1' }, after: { name: '3' } },
      ])
      expect(await matching.confirm()).toEqual({ count: 1 })
      const link = await api.book.linked(book.id, 'tags').preview.add('a')
      expect(link.changes).toMatchObject([{ action: 'Link', relation: 'tags', to: 'a' }])
      await link.confirm()
      const invoice = await api.invoice.create({ total: 5 })
      const paid = await api.invoice.preview.act(invoice, 'pay', { by: 'Ada' })
      expect(paid.changes).toMatchObject([{ action: 'Edit', after: { status: 'paid by Ada' } }])
      const after = await paid.confirm()
      expect(after).toMatchObject({ status: 'paid by Ada' })
      await api.invoice.delete(after as NonNullable<typeof after>)
      const back = await api.invoice.preview.restore(await api.invoice.deleted.find(invoice.id))
      expect(back.changes).toMatchObject([{ action: 'Add', soft: true }])
      expect(await back.confirm()).toMatchObject({ status: 'paid by Ada' })
    })

    test('and does nothing if it would do something else by now, until that is confirmed', async () => {
      const { api, book } = await fill()
      const preview = await api.book.preview.delete(book.id)
      await api.book.owned(book.id, 'chapters').create({ title: 'Three' })
      const error = await errorOf(preview.confirm())
      expect(error).toBeInstanceOf(EffectsChangedError)
      const { effects, status } = error as EffectsChangedError<typeof preview>
      expect([status, effects.changes.length]).toEqual([412, preview.changes.length + 1])
      expect((await api.book.list()).count).toBe(1)
      await effects.confirm()
      expect((await api.book.list()).count).toBe(0)
    })

    test('and says what is against it, and whether the record has changed', async () => {
      const { api, publisher, book } = await fill()
      expect(await errorOf(api.publisher.preview.delete(publisher))).toMatchObject({ code: 'CRUD_ERR_STILL_NEEDED' })
      const preview = await api.book.preview.patch(book, { price: 2 })
      await api.book.patch(book, { title: 'Theirs' })
      expect(await errorOf(preview.confirm())).toBeInstanceOf(ConflictError)
      expect(await errorOf(api.book.preview.patch(book, { price: 2 }))).toBeInstanceOf(ConflictError)
    })
  })

  test('a resource whose key is the name of a method is reached by resource()', async () => {
    const api = client()
    expect(await api.resource('model').create({ name: 'a' })).toMatchObject({ name: 'a' })
    expect((await api.model()).hash).toEqual(expect.any(String))
    await expect(api.resource('nothing' as 'tag').list()).rejects.toThrow("the service has no resource 'nothing'")
    await expect(api.resource('note' as 'tag').list()).rejects.toThrow(/is reached through its owner/)
    expect(await Promise.resolve(api)).toBe(api)
  })
})
