import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { databases, type OpenDatabase } from '../../../../test/support/databases.ts'
import type { Selection } from '../../src/asking/select/selection.ts'
import { idsOf, stateOf, wholeRecord } from '../../src/asking/select/selections.ts'
import { topPath } from '../../src/model/collection-path.ts'
import { ALL_FIELDS, type FieldRights } from '../../src/model/field-rights.ts'
import type { Resource } from '../../src/model/model.ts'
import type { QueryContext } from '../../src/sql/context.ts'
import { recordQuery } from '../../src/sql/reads/read-queries.ts'
import type { Prepared } from '../../src/sql/text/prepare.ts'
import { bookshop, fillBookshop, inLines, jsonOf, resourceOf } from './bookshop.ts'

describe.each(databases)('the query of a record ($name)', (database) => {
  let open: OpenDatabase
  let context: QueryContext

  beforeAll(async () => {
    open = await database.open()
    context = await fillBookshop(open)
  })
  afterAll(() => open.close())

  const queryOf = (key: string, select: (resource: Resource, fieldRights: FieldRights) => Selection): Prepared =>
    recordQuery(context, topPath(bookshop, key), select(resourceOf(key), ALL_FIELDS), undefined)

  test('gives the whole record, with every kind of relation', async () => {
    const query = queryOf('book', wholeRecord)
    await expect(inLines(query)).toMatchFileSnapshot(`./sql/whole-record.${database.name}.sql`)
    expect(await jsonOf(context, query, { id: 1 })).toEqual({
      id: 1,
      title: 'One',
      price: 12.5,
      isOut: true,
      publisherId: 1,
      publisher: { id: 1, name: 'Ink' },
      authors: [
        { id: 1, name: 'Ada' },
        { id: 2, name: 'Bo' },
      ],
      cover: { id: 1, url: 'one.png' },
      chapters: [
        { id: 1, title: 'Start', editorId: 2, editor: { id: 2, name: 'Bo' } },
        { id: 2, title: 'End', editorId: null, editor: null },
      ],
      seriesId: 1,
      series: { id: 1, title: 'Firsts', about: null },
      tags: [{ id: 2, word: 'old' }],
    })
  })

  test('gives its state, which has only the ids of related records', async () => {
    const query = queryOf('book', stateOf)
    await expect(inLines(query)).toMatchFileSnapshot(`./sql/state.${database.name}.sql`)
    expect(await jsonOf(context, query, { id: 1 })).toEqual({
      id: 1,
      title: 'One',
      price: 12.5,
      isOut: true,
      publisherId: 1,
      authors: [{ id: 1 }, { id: 2 }],
      cover: { id: 1, url: 'one.png' },
      chapters: [
        { id: 1, title: 'Start', editorId: 2 },
        { id: 2, title: 'End', editorId: null },
      ],
      seriesId: 1,
      tags: [{ id: 2 }],
    })
  })

  test('gives the ids of the record and of all that it owns', async () => {
    const query = queryOf('book', idsOf)
    await expect(inLines(query)).toMatchFileSnapshot(`./sql/ids.${database.name}.sql`)
    expect(await jsonOf(context, query, { id: 1 })).toEqual({
      id: 1,
      cover: { id: 1 },
      chapters: [{ id: 1 }, { id: 2 }],
    })
  })

  test('gives what is below a record of a tree as one flat list: relation, owner, record', async () => {
    const query = queryOf('category', wholeRecord)
    await expect(inLines(query)).toMatchFileSnapshot(`./sql/tree.${database.name}.sql`)
    expect(await jsonOf(context, query, { id: 1 })).toEqual({
      id: 1,
      name: 'root',
      categories: [
        [0, 1, { id: 2, name: 'child', categories: null }],
        [0, 2, { id: 3, name: 'grandchild', categories: null }],
      ],
    })
  })

  test('gives no row where there is no record', async () => {
    expect(await jsonOf(context, queryOf('book', wholeRecord), { id: 3 })).toBeUndefined()
  })
})
