import {
  type BatchRequest,
  type CrudError,
  createStore,
  defineActions,
  defineResources,
  field,
  knows,
  needs,
  ownedBy,
  owns,
  type Rules,
} from '@fastify-crud/core'
import { createTables } from '@fastify-crud/tables'
import { Type } from '@sinclair/typebox'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { OpenDatabase } from '../../../../test/support/databases.ts'
import { describeOnBoth, describeOnDatabases } from '../../../../test/support/describe-on-databases.ts'

const refusalOf = (promise: Promise<unknown>) =>
  promise.then(
    () => expect.unreachable(),
    (error: CrudError) => ({ status: error.status, code: error.code, request: error.request, errors: error.errors }),
  )

describeOnDatabases('a batch of the store', (database) => {
  const resources = defineResources({
    author: { fields: { name: Type.String({ minLength: 2 }) }, unique: [['name']] },
    book: {
      fields: { title: Type.String(), facts: Type.Optional(Type.Any()), copies: field(Type.Integer(), { default: 1 }) },
      relations: { author: needs.one('author'), tags: knows.many('tag'), chapters: owns.many('chapter') },
    },
    chapter: { fields: { title: Type.String() }, relations: { book: ownedBy('book') } },
    tag: { id: 'uuid', fields: { name: Type.String() } },
  })
  const told: string[] = []
  const rules: Rules<typeof resources> = {
    book: {
      invariant: {
        reads: ['title', 'chapters.title'],
        test({ after, refuse }) {
          if (after.title === 'long' && after.chapters.length < 2) refuse('a long book has two chapters')
        },
      },
      afterCommit: ({ rows }) => void told.push(`${rows.length} books`),
    },
  }
  const actions = defineActions(resources, {
    book: {
      reprint: {
        asks: 'Edit',
        async run({ id, store, afterCommit }) {
          await store.book.patch(id, { copies: { $add: 1 } as never })
          afterCommit(() => void told.push('reprinted'))
        },
      },
    },
  })
  let opened: OpenDatabase
  const open = () => createStore({ db: opened.db, resources, rules, actions, limits: { batch: 10 } })
  let store: ReturnType<typeof open>
  beforeAll(async () => {
    opened = await database.open()
    await createTables(opened.db, resources)
    store = open()
  })
  afterAll(() => opened.close())

  const all = async () => [await store.author.list(), await store.book.list(), await store.tag.list()]

  test('does all of its requests, each of which sees what those before it have done', async () => {
    told.length = 0
    const { answers } = await store.batch([
      { method: 'POST', path: '/author', body: { name: 'Emma' }, as: 'emma' },
      { method: 'POST', path: '/tag', body: { name: 'new' }, as: 'tag' },
      {
        method: 'POST',
        path: '/book',
        body: { title: 'long', authorId: { $new: 'emma' }, tags: [{ id: { $new: 'tag' } }] },
        as: 'book',
      },
      { method: 'POST', path: '/book/$new.book/chapter', body: [{ title: 'One' }, { title: 'Two' }] },
      { method: 'POST', path: '/book/$new.book/$act/reprint' },
      { method: 'GET', path: '/book/$new.book' },
    ])
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201, 200, 200])
    const [author, tag, book] = answers.map(({ body }) => body)
    expect(answers[0]?.location).toBe(`/author/${author.id}`)
    expect(answers[5]?.body).toEqual({
      ...book,
      copies: 2,
      author: { id: author.id, name: 'Emma' },
      tags: [{ id: tag.id, name: 'new' }],
      chapters: [expect.objectContaining({ title: 'One' }), expect.objectContaining({ title: 'Two' })],
    })
    expect(await store.book.find(book.id)).toEqual(answers[5]?.body)
    await new Promise((resolve) => setImmediate(resolve))
    await new Promise((resolve) => setImmediate(resolve))
    expect(told).toEqual(['2 books', 'reprinted'])
  })

  test('does nothing where one of its requests is refused, and says which', async () => {
    const before = await all()
    const requests: BatchRequest[] = [
      { method: 'POST', path: '/author', body: { name: 'Jane' } },
      { method: 'POST', path: '/author', body: { name: 'Jane' } },
    ]
    expect(await refusalOf(store.batch(requests))).toMatchObject({
      status: 409,
      code: 'CRUD_ERR_NOT_UNIQUE',
      request: 1,
      errors: [{ pointer: '/requests/1/body/name' }],
    })
    requests[1] = { method: 'DELETE', path: '/book/900' }
    expect(await refusalOf(store.batch(requests))).toMatchObject({ status: 404, request: 1 })
    expect(await all()).toEqual(before)
  })

  test('is refused for all that is wrong with its bodies before anything is done', async () => {
    expect(
      await refusalOf(
        store.batch([
          { method: 'POST', path: '/author', body: { name: 'J' } },
          { method: 'PATCH', path: '/book/none', body: {} },
          { method: 'POST', path: '/book', body: { title: 7 } },
        ]),
      ),
    ).toMatchObject({
      status: 400,
      errors: [
        { pointer: '/requests/0/body/name' },
        { pointer: '/requests/1/path' },
        { pointer: '/requests/2/body/title' },
        { pointer: '/requests/2/body/authorId' },
      ],
    })
  })

  test('is refused for names that mean nothing, each at its pointer', async () => {
    const { errors } = await refusalOf(
      store.batch([
        {
          method: 'POST',
          path: '/book',
          body: { title: 'x', authorId: { $new: 'later' }, tags: [{ id: { $new: 'no' } }] },
        },
        { method: 'POST', path: '/author', body: { name: 'Later' }, as: 'later' },
        { method: 'PUT', path: '/book/$new.later', body: { title: 'x', authorId: { $new: 'later', b: 1 } } },
        { method: 'POST', path: '/author', body: { name: { $new: 'later' } }, as: 'later' },
        { method: 'PATCH', path: '/author/1', body: {}, as: 'other' },
      ]),
    )
    expect(errors.map(({ pointer }) => pointer)).toEqual([
      '/requests/3/as',
      '/requests/4/as',
      '/requests/0/body/authorId/$new',
      '/requests/0/body/tags/0/id/$new',
      '/requests/2/path',
      '/requests/2/body/authorId/$new',
      '/requests/3/body/name',
    ])
  })

  test('leaves names in a JSON field as they are', async () => {
    const { answers } = await store.batch([
      { method: 'POST', path: '/author', body: { name: 'Json' }, as: 'a' },
      { method: 'POST', path: '/book', body: { title: 'x', authorId: { $new: 'a' }, facts: { id: { $new: 'a' } } } },
    ])
    expect(answers[1]?.body.facts).toEqual({ id: { $new: 'a' } })
  })

  test('tests invariants at its end', async () => {
    const { answers } = await store.batch([
      { method: 'POST', path: '/author', body: { name: 'Ends' }, as: 'a' },
      { method: 'POST', path: '/book', body: { title: 'short', authorId: { $new: 'a' } }, as: 'b' },
      { method: 'PATCH', path: '/book/$new.b', body: { title: 'long' } },
      { method: 'PATCH', path: '/book/$new.b', body: { chapters: [{ title: 'One' }, { title: 'Two' }] } },
    ])
    const id: number = answers[1]?.body.id
    const [chapter] = (await store.book.find(id)).chapters
    expect(
      await refusalOf(
        store.batch([
          { method: 'DELETE', path: `/book/${id}/chapter/${chapter?.id}` },
          { method: 'POST', path: '/author', body: { name: 'Unseen' } },
        ]),
      ),
    ).toMatchObject({ status: 409, request: 0, code: 'CRUD_ERR_REFUSED' })
    expect((await store.book.find(id)).chapters).toHaveLength(2)
  })

  test('does nothing in a dry run, and says what it would do', async () => {
    const before = await all()
    const requests: BatchRequest[] = [
      { method: 'POST', path: '/author', body: { name: 'Dry' }, as: 'a' },
      { method: 'POST', path: '/book', body: { title: 'Run', authorId: { $new: 'a' } } },
    ]
    const { answers } = await store.batch(requests, { dryRun: true })
    expect(answers).toEqual([
      { status: 201, body: expect.objectContaining({ name: 'Dry' }) },
      { status: 201, body: expect.objectContaining({ title: 'Run' }) },
    ])
    const effects = await store.batch(requests, { returns: 'effects', dryRun: true })
    expect(effects).toMatchObject({
      operation: 'batch',
      changes: [
        { action: 'Add', resource: 'author', id: null, new: 1, pointer: '/requests/0/body', after: { name: 'Dry' } },
        {
          action: 'Add',
          resource: 'book',
          id: null,
          new: 2,
          pointer: '/requests/1/body',
          after: { authorId: { new: 1 } },
        },
      ],
    })
    expect(await all()).toEqual(before)
  })

  test('takes ETags', async () => {
    const { answers } = await store.batch([{ method: 'POST', path: '/author', body: { name: 'Tag' } }])
    const [{ etag, location } = {}] = answers
    const patch = (ifMatch: string): BatchRequest => ({
      method: 'PATCH',
      path: String(location),
      body: { name: 'Tags' },
      ifMatch,
    })
    expect((await store.batch([patch(String(etag))])).answers[0]?.body).toMatchObject({ name: 'Tags' })
    expect(await refusalOf(store.batch([patch(String(etag))]))).toMatchObject({ status: 412, request: 0 })
  })

  test('has so many requests at most, and only those that there are', async () => {
    const requests = Array.from({ length: 11 }, (): BatchRequest => ({ method: 'GET', path: '/author' }))
    expect(await refusalOf(store.batch(requests))).toMatchObject({ status: 400, errors: [{ pointer: '/requests' }] })
    expect(await store.batch([])).toEqual({ answers: [] })
    expect(await refusalOf(store.batch([{ method: 'GET', path: '/nothing' }]))).toMatchObject({
      status: 404,
      request: 0,
    })
    expect(await refusalOf(store.batch([{ method: 'DELETE', path: '/author' }]))).toMatchObject({
      status: 405,
      request: 0,
    })
  })

  test('two in opposite order do not wait for each other for ever', async () => {
    const { answers } = await store.batch(
      ['Left', 'Right'].map((name): BatchRequest => ({ method: 'POST', path: '/author', body: { name } })),
    )
    const [left, right] = answers.map(({ body }) => body.id)
    const patches = (ids: readonly number[]) =>
      ids.map((id): BatchRequest => ({ method: 'PATCH', path: `/author/${id}`, body: { name: `by ${ids} to ${id}` } }))
    for (let time = 0; time < 5; time++) {
      await Promise.all([store.batch(patches([left, right])), store.batch(patches([right, left]))])
    }
    const names = [await store.author.find(left), await store.author.find(right)].map(({ name }) => name.slice(0, -2))
    expect(names[0]?.slice(0, 6)).toBe(names[1]?.slice(0, 6))
  })
})

describeOnBoth('policies in a batch', (database) => {
  const resources = defineResources({
    team: { fields: { name: Type.String(), lead: Type.Integer() } },
    task: {
      fields: { title: Type.String(), isOpen: field(Type.Boolean(), { default: true }) },
      relations: { team: needs.one('team') },
    },
  })
  let opened: OpenDatabase
  const open = () =>
    createStore({
      db: opened.db,
      resources,
      policies: {
        team: { View: true, Add: true, Edit: true, Delete: true },
        task: {
          View: true,
          Add: ({ eb }) => eb('isOpen', '=', true),
          Edit: true,
          Delete: true,
        },
      },
    })
  beforeAll(async () => {
    opened = await database.open()
    await createTables(opened.db, resources)
  })
  afterAll(() => opened.close())

  test('are asked of each row as its last request left it', async () => {
    const store = open().as({ id: 1 })
    const { answers } = await store.batch([
      { method: 'POST', path: '/team', body: { name: 'Ink', lead: 1 }, as: 'team' },
      { method: 'POST', path: '/task', body: { title: 'a', teamId: { $new: 'team' } }, as: 'task' },
      { method: 'PATCH', path: '/task/$new.task', body: { isOpen: false } },
    ])
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 200])
    expect(
      await refusalOf(
        store.batch([
          { method: 'GET', path: '/team' },
          { method: 'POST', path: '/task', body: { title: 'b', isOpen: false, teamId: answers[0]?.body.id } },
        ]),
      ),
    ).toMatchObject({ status: 403, request: 1 })
  })
})
