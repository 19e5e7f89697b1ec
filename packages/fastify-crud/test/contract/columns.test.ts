import { expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import { tableNames } from '../../../../test/support/tables.ts'
import { testEveryRelation } from './every-relation.ts'
import { library, libraryElsewhere } from './models/library.ts'

describeOnBoth('every relation, stored under the default names', (database) => {
  testEveryRelation(useApp(database, library))
})

describeOnBoth('every relation, stored under other names', (database) => {
  testEveryRelation(useApp(database, libraryElsewhere))
})

describeOnBoth('the default names', (database) => {
  const service = useApp(database, library)

  test('a table is called as its resource, a link table <resource key>_<relation>', async () => {
    expect(await tableNames(database.name, service.db)).toEqual([
      'author',
      'book',
      'book_authors',
      'book_bookTags',
      'chapter',
      'cover',
      'crud_idempotency',
      'crud_numbers',
      'publisher',
      'tag',
    ])
  })

  test('a foreign key is called <relation>Id, the columns of a link table <resource key>Id', async () => {
    const none = (table: string, columns: string[]) => service.db.selectFrom(table).select(columns).execute()
    expect(await none('book', ['mainPublisherId', 'nextBookId'])).toEqual([])
    expect(await none('chapter', ['bookId', 'chiefEditorId'])).toEqual([])
    expect(await none('book_authors', ['bookId', 'authorId'])).toEqual([])
    expect(await none('book_bookTags', ['bookId', 'tagId'])).toEqual([])
  })
})

describeOnBoth('`table`, `columns`, `through`, `from` and `to`', (database) => {
  const service = useApp(database, libraryElsewhere)

  test('are the names in the database', async () => {
    const tables = ['T_AUT', 'T_BOOK', 'T_CHAP', 'T_COVER', 'T_PUB', 'T_TAG', 'T_TAGGED', 'T_WRITES']
    const ofModel = (await tableNames(database.name, service.db)).filter((name) => !name.startsWith('crud_'))
    expect(ofModel).toEqual(tables)
    await service.add('/api/publisher', { fullName: 'P' })
    const publishers = await service.db.selectFrom('T_PUB').select(['pub_no', 'pub_name', 'since']).execute()
    expect(publishers).toMatchObject([{ pub_name: 'P', since: null }])
    const none = (table: string, columns: string[]) => service.db.selectFrom(table).select(columns).execute()
    expect(await none('T_BOOK', ['book_no', 'pub_ref', 'sequel_ref', 'Published?'])).toEqual([])
    expect(await none('T_CHAP', ['chap_no', 'book_ref', 'editor_ref'])).toEqual([])
    expect(await none('T_WRITES', ['what', 'who'])).toEqual([])
    expect(await none('T_TAGGED', ['book_ref', 'tag_ref'])).toEqual([])
  })
})
