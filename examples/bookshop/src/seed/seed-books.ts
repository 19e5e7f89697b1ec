import type { Shop } from '../shop.ts'
import type { BookSeed } from './book-seed.ts'
import { isbnOf } from './isbn.ts'
import { mysteries } from './mysteries.ts'
import { nonfiction } from './nonfiction.ts'
import { novels } from './novels.ts'
import type { Ids } from './seed-people.ts'
import { relatedBooks } from './trade.ts'
import { youngReaders } from './young-readers.ts'

/** What a book names: ids by publisher, author, series, shelf and tag. */
export interface Named {
  readonly publishers: Ids
  readonly authors: Ids
  readonly series: Ids
  readonly shelves: Ids
  readonly tags: Ids
}

/** The id that goes with a name; a name that nobody has is a mistake in the lists. */
export function idOf(ids: Ids, name: string): number {
  const id = ids.get(name)
  if (id === undefined) throw new Error(`the seed has no '${name}'`)
  return id
}

const sizes = {
  hardback: { width: 153, height: 234, depth: 30 },
  paperback: { width: 129, height: 198, depth: 24 },
  ebook: null,
  audiobook: null,
}

export async function seedBooks(shop: Shop, named: Named): Promise<Ids> {
  const ids = new Map<string, number>()
  for (const [index, book] of [...mysteries, ...novels, ...nonfiction, ...youngReaders].entries()) {
    const publisherId = idOf(named.publishers, book.publisher)
    // One body: the book with its cover, its chapters and their footnotes.
    const { id } = await shop.resource('book').create({
      title: book.title,
      subtitle: book.subtitle ?? null,
      isbn: isbnOf(publisherId, index + 1),
      format: book.format,
      price: book.price,
      pages: book.pages,
      publishedOn: book.publishedOn,
      inPrint: book.publishedOn === null || book.publishedOn >= '1990',
      rating: book.rating ?? null,
      dimensions: sizes[book.format],
      languages: book.tags.includes('translated') ? ['en', 'nl'] : ['en'],
      publisherId,
      authors: book.authors.map((name) => ({ id: idOf(named.authors, name) })),
      seriesId: book.series === undefined ? null : idOf(named.series, book.series),
      categoryId: idOf(named.shelves, book.shelf),
      tags: book.tags.map((label) => ({ id: idOf(named.tags, label) })),
      cover: coverOf(book),
      chapters: chaptersOf(book),
    })
    ids.set(book.title, id)
  }
  for (const [one, other] of relatedBooks) {
    await shop.resource('book').patch(idOf(ids, one), { related: [{ id: idOf(ids, other) }] })
    await shop.resource('book').patch(idOf(ids, other), { related: [{ id: idOf(ids, one) }] })
  }
  return ids
}

function coverOf(book: BookSeed) {
  const name = book.title.toLowerCase().replace(/[^a-z]+/g, '-')
  const finish = book.format === 'hardback' ? ('linen' as const) : ('matt' as const)
  return { image: `https://covers.example/${name}.jpg`, artist: book.artist ?? null, finish }
}

const marks = ['*', '†', '‡'] as const

function chaptersOf(book: BookSeed) {
  const perChapter = Math.floor((book.pages ?? 0) / book.chapters.length)
  return book.chapters.map((title, index) => {
    const notes = (book.notes ?? []).filter(([chapter]) => chapter === index + 1)
    return {
      number: index + 1,
      title,
      firstPage: book.pages === null ? null : 5 + index * perChapter,
      footnotes: notes.map(([, text], note) => ({ mark: marks[note] ?? '§', text })),
    }
  })
}
