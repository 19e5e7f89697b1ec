import {
  CrudError,
  createStore,
  type Fact,
  type Id,
  type Lookup,
  type Outcome,
  planCreate,
  planDelete,
  planLookups,
  planPatch,
  planReplace,
  type Store,
  type WriteStates,
} from '@fastify-crud/core'
import { createTables } from '@fastify-crud/tables'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { OpenDatabase } from '../../../../test/support/databases.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import { library } from './library.ts'

describeOnBoth('A write that is planned without the store', (database) => {
  let open: OpenDatabase
  let store: Store<typeof library>

  beforeAll(async () => {
    open = await database.open()
    await createTables(open.db, library)
    store = createStore({ db: open.db, resources: library })
    for (const name of ['one', 'two']) {
      await store.publisher.create({ name })
      await store.author.create({ name })
    }
    const chapters = [{ title: 'One', number: 1, notes: [{ text: 'n', aboutId: 2 }] }]
    const more = { cover: { url: 'u' }, chapters }
    await store.book.create({ title: 'Plans', language: 'en', publisherId: 1, authors: [{ id: 1 }], ...more })
    await store.book.create({ title: 'Ink', language: 'en', publisherId: 1, authors: [{ id: 1 }] })
  })
  afterAll(() => open.close())

  /** Answers a lookup as an application may that has queries of its own. */
  async function answer(lookup: Lookup): Promise<Fact> {
    const { db } = open
    switch (lookup.lookup) {
      case 'existing': {
        const rows = await db.selectFrom(lookup.resource).select('id').where('id', 'in', lookup.ids).execute()
        return { ...lookup, found: rows.map(({ id }) => Number(id)) }
      }
      case 'holders': {
        const find = async (values: Readonly<Record<string, unknown>>) => {
          const same = db
            .selectFrom(lookup.resource)
            .select('id')
            .where((eb) => eb.and(values))
          const row = await same.executeTakeFirst()
          return row === undefined ? null : Number(row.id)
        }
        return { ...lookup, found: await Promise.all(lookup.values.map(find)) }
      }
      case 'needing': {
        const { resource, relation } = lookup.relation
        const isLink = relation === 'authors'
        const [table, from, to] = isLink
          ? [`${resource}_${relation}`, `${resource}Id`, 'authorId']
          : [resource, 'id', `${relation}Id`]
        const rows = await db.selectFrom(table).select([from, to]).where(to, 'in', lookup.targets).execute()
        const counted = rows.filter((row) => !lookup.except.includes(Number(row[from])))
        const count = (target: Id) => counted.filter((row) => Number(row[to]) === target).length
        const found = lookup.targets.map((target) => ({ target, count: count(target) }))
        return { ...lookup, found: found.filter((one) => one.count > 0) }
      }
      case 'linked':
      case 'siblings':
        throw new Error('there is no such relation in this model')
    }
  }

  const plans: {
    readonly [O in keyof WriteStates]: (key: string, state: WriteStates[O], body: unknown) => Outcome
  } = {
    create: (...write) => planCreate(library, ...write),
    replace: (...write) => planReplace(library, ...write),
    patch: (...write) => planPatch(library, ...write),
    delete: (key, state) => planDelete(library, key, state),
  }

  async function planned<O extends keyof WriteStates>(
    operation: O,
    key: string,
    state: WriteStates[O],
    body?: unknown,
  ) {
    const first = planLookups(operation, library, key, state, body)
    if ('refusal' in first) return first
    const facts: Fact[] = []
    for (const lookup of first.lookups) facts.push(await answer(lookup))
    return plans[operation](key, { ...state, facts }, body)
  }

  const refused = async (write: Promise<unknown>) => {
    const error = await write.then(
      () => expect.unreachable('it was not refused'),
      (reason: unknown) => reason,
    )
    if (!(error instanceof CrudError)) throw error
    const { code, message: detail, errors, blockers } = error
    return { refusal: { code, detail, errors, ...(blockers && { blockers }) } }
  }

  test('is refused for the same reasons', async () => {
    const books = store.book
    const body = { title: 'Plans', language: 'en', publisherId: 9, authors: [{ id: 1 }, { id: 8 }] }
    expect(await planned('create', 'book', {}, body)).toEqual(await refused(books.create(body)))
    const taken = { ...body, publisherId: 1, authors: [{ id: 1 }] }
    expect(await planned('create', 'book', {}, taken)).toEqual(await refused(books.create(taken)))
    const chosen = { ...taken, title: 'New' }
    expect(await planned('create', 'book', { id: 2 }, chosen)).toEqual(await refused(books.create(chosen, { id: 2 })))

    const record = await books.find(2)
    expect(await planned('patch', 'book', { record }, { title: 'Plans' })).toEqual(
      await refused(books.patch(2, { title: 'Plans' })),
    )
    expect(await planned('replace', 'book', { record }, { ...record, publisherId: 5 })).toEqual(
      await refused(books.replace(2, { ...record, publisherId: 5 })),
    )
    const author = await store.author.find(2)
    expect(await planned('delete', 'author', { record: author })).toEqual(await refused(store.author.delete(2)))

    const cover = { url: 'v' }
    for (const id of [1, 77]) {
      expect(await planned('create', 'cover', { owner: { relation: 'book', id } }, cover)).toEqual(
        await refused(books.owned(id, 'cover').create(cover)),
      )
    }
  })

  test('is planned where the store does it', async () => {
    const record = await store.book.find(1)
    const { chapters } = record
    expect(await planned('replace', 'book', { record }, record)).toMatchObject({ plan: { steps: [] } })
    const body = { ...record, title: 'Plans II', publisherId: 2, chapters: [...chapters, { title: 'Two', number: 2 }] }
    expect(await planned('replace', 'book', { record }, body)).toHaveProperty('plan')
    expect(await planned('delete', 'book', { record })).toHaveProperty('plan')
    await store.book.replace(1, body)
    await store.book.delete(1)
  })
})
