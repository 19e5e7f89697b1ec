import { createStore } from 'fastify-crud'
import type { TestKysely } from '../../../../../test/support/tables.ts'
import type { Policies } from '../../policies/support/as-caller.ts'
import { bookRows } from './book-rows.ts'
import { books } from './books.ts'
import { type BookIds, fillBooks, idOf } from './fill-books.ts'

const named: Policies[string] = ({ eb }) => eb('name', 'not like', 'zebra%')
const titled: Policies[string] = ({ eb }) => eb('title', 'not like', 'zebra%')
const withText: Policies[string] = ({ eb }) => eb.or([eb('text', 'is', null), eb('text', 'not like', 'zebra%')])

/** A record with a zebra in its name, title or text is outside of View. Covers and remarks have no policy of their own. */
export const noZebras: Policies = {
  publisher: named,
  author: named,
  series: named,
  tag: named,
  book: titled,
  chapter: titled,
  quote: withText,
  category: named,
  word: withText,
}

/** The records of `fillBooks`, with the same ids, and hidden ones among what they own, need, know and are needed by. */
export async function fillWithHidden(db: TestKysely): Promise<BookIds> {
  const ids = await fillBooks(db)
  const all = createStore({ db, resources: books })
  const publisher = await all.publisher.create({ name: 'zebra house', city: 'zebra town' })
  const author = await all.author.create({ name: 'zebra author' })
  const series = await all.series.create({ name: 'zebra series' })
  const tag = await all.tag.create({ name: 'zebra tag' })
  for (const publisherId of [publisher.id, idOf(ids.publisher, 'Ink'), idOf(ids.publisher, 'Quill')]) {
    await all.book.create({
      title: `zebra book of ${publisherId}`,
      price: 7,
      publisherId,
      seriesId: series.id,
      authors: [{ id: author.id }, { id: idOf(ids.author, 'Di') }],
      tags: [{ id: idOf(ids.tag, 'grey') }],
      cover: { url: 'zebra.png', color: 'zebra' },
      chapters: [{ title: 'Start', place: 9, remarks: [{ text: 'zebra remark' }] }],
    })
  }
  for (const { title } of bookRows) {
    const bookId = idOf(ids.book, title)
    await db.insertInto('book_tags').values({ bookId, tagId: tag.id }).execute()
    await db.insertInto('book_authors').values({ bookId, authorId: author.id }).execute()
    const hidden = { title: 'zebra chapter', place: -1, bookId }
    const chapter = await db.insertInto('chapter').values(hidden).returning('id').executeTakeFirstOrThrow()
    await db.insertInto('remark').values({ text: 'why', chapterId: chapter.id }).execute()
  }
  for (const name of ['Fiction', 'Empty']) {
    const hidden = { name: 'zebra node', parentId: idOf(ids.category, name) }
    const node = await db.insertInto('category').values(hidden).returning('id').executeTakeFirstOrThrow()
    await db.insertInto('category').values({ name: 'Noir', parentId: node.id }).execute()
  }
  const words = ['', ' a', '\u{10ffff}'].map((end) => ({ text: `zebra${end}` }))
  await db.insertInto('word').values(words).execute()
  return ids
}
