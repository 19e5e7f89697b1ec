import { createStore } from 'fastify-crud'
import type { TestKysely } from '../../../../../test/support/tables.ts'
import { authorNames, bookRows, categoryRows, publisherRows, seriesNames, tagNames } from './book-rows.ts'
import { books } from './books.ts'
import { words } from './words.ts'

/** The ids of what the tables hold, by title or name. */
export type BookIds = Awaited<ReturnType<typeof fillBooks>>

/** Fills the tables, each in the order of its rows, so that ids ascend. */
export async function fillBooks(db: TestKysely) {
  const all = createStore({ db, resources: books })
  const publisher = new Map<string, number>()
  for (const row of publisherRows) publisher.set(row.name, (await all.publisher.create(row)).id)
  const author = await addNames(authorNames, all.author)
  const series = await addNames(seriesNames, all.series)
  const tag = await addNames(tagNames, all.tag)
  const book = new Map<string, number>()
  for (const row of bookRows) {
    const { publisher: publisherName, series: seriesName, prequel, size, chapters, ...rest } = row
    const { id } = await all.book.create({
      ...rest,
      size: size as never,
      publisherId: idOf(publisher, publisherName),
      seriesId: seriesName && idOf(series, seriesName),
      prequelId: prequel && idOf(book, prequel),
      authors: row.authors.map((name) => ({ id: idOf(author, name) })),
      tags: row.tags.map((name) => ({ id: idOf(tag, name) })),
      chapters: chapters.map(({ translator, remarks, ...chapter }) => ({
        ...chapter,
        translatorId: translator && idOf(author, translator),
        remarks: [...remarks],
      })),
    })
    book.set(row.title, id)
  }
  await addQuotes(all, book)
  const category = new Map<string, number>()
  for (const row of categoryRows) category.set(row.name, (await all.category.create(row)).id)
  const rows = words.map((text) => ({ text }))
  await db.insertInto('word').values(rows).execute()
  return { publisher, author, series, tag, book, category }
}

interface Named {
  create(body: { name: string }): Promise<{ readonly id: number }>
}

async function addNames(names: readonly string[], resource: Named): Promise<Map<string, number>> {
  const ids = new Map<string, number>()
  for (const name of names) ids.set(name, (await resource.create({ name })).id)
  return ids
}

/** One quote of the first chapter of Amber and of Dogwood, and one of no chapter. */
async function addQuotes(all: ReturnType<typeof createStore<typeof books>>, book: Map<string, number>) {
  for (const title of ['Amber', 'Dogwood']) {
    const { chapters } = await all.book.find(idOf(book, title))
    await all.quote.create({ text: `of ${title}`, chapterId: chapters[0]?.id ?? null })
  }
  await all.quote.create({ text: 'of nobody' })
}

/** The id of the record with this name, which must be there. */
export function idOf(ids: ReadonlyMap<string, number>, name: string): number {
  const id = ids.get(name)
  if (id === undefined) throw new Error(`there is no ${name}`)
  return id
}
