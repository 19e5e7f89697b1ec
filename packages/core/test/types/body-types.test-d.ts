import { describe, expectTypeOf, test } from 'vitest'
import type { CreateBody, Model, PatchBody, RecordOf, ReplaceBody } from '../../src/index.ts'
import type { Bookshop } from './bookshop.ts'

type Author = { id: number; name: string; born: string | null }
type AuthorLink = { id: number; name?: string; born?: string | null }
type ItemOf<List> = List extends readonly (infer Item)[] ? Item : never

/** The parts of a book's body that every verb has, and may leave out. */
type Shared = {
  price?: number | null
  size?: { width: number; height?: number } | null
  edition?: number
  publisher?: { id: number; name: string }
  translatedBy?: number | null
  translator?: Author | null
  seriesId?: number | null
  series?: { id: number; title: string } | null
  tags?: readonly { id: number }[]
}

/** Those that only a patch may leave out. `pages` has a default, but the type of its schema does not tell. */
type Whole = {
  title: string
  binding: 'soft' | 'hard'
  notes: string | null
  pages: number
  publisherId: number
  authors: readonly AuthorLink[]
}

/** What a patch may say of fields, foreign keys, nested records and links. */
type Patched = Omit<Shared & Whole, 'price' | 'edition' | 'title' | 'notes' | 'pages' | 'authors' | 'tags'> & {
  price: number | { $add: number } | null
  edition: number | { $add: number }
  title: string | { $add: string }
  notes: string | { $add: string } | null
  pages: number | { $add: number }
  authors: readonly { id: number; name?: string; born?: string | null; $remove?: true }[]
  tags: readonly { id: number; $remove?: true }[]
}

type Joined<T> = { [N in keyof T]: T[N] }

describe('The body of a create', () => {
  type Body = CreateBody<Bookshop, 'book'>

  test('may leave out what is optional or has a default, and what is known or owned', () => {
    expectTypeOf<Joined<Omit<Body, 'id' | 'cover' | 'blurb' | 'chapters'>>>().toEqualTypeOf<Joined<Shared & Whole>>()
  })

  test('creates what the record owns, ids left out', () => {
    type Chapter = {
      id?: never
      title: string
      drawnBy: number
      illustrator?: Author
      paragraphs?: readonly { id?: never; text: string }[]
    }
    expectTypeOf<Pick<Body, 'id' | 'cover' | 'blurb' | 'chapters'>>().toEqualTypeOf<{
      id?: never
      cover?: { id?: never; url: string } | null
      blurb: { id?: never; text?: string | null }
      chapters?: readonly Chapter[]
    }>()
  })

  test('may be empty where nothing is required', () => {
    expectTypeOf<Record<never, never>>().toExtend<CreateBody<Bookshop, 'tag'>>()
    expectTypeOf<Record<never, never>>().toExtend<CreateBody<Bookshop, 'person'>>()
  })

  test('is not a record that has been read: it has an id', () => {
    expectTypeOf<RecordOf<Bookshop, 'author'>>().not.toExtend<CreateBody<Bookshop, 'author'>>()
  })
})

describe('The body of a replace', () => {
  type Body = ReplaceBody<Bookshop, 'book'>

  test('may leave out what a create may leave out', () => {
    expectTypeOf<Joined<Omit<Body, 'id' | 'cover' | 'blurb' | 'chapters'>>>().toEqualTypeOf<Joined<Shared & Whole>>()
  })

  test('has every field of what the record owns, with or without ids', () => {
    type Chapter = {
      id?: number
      title: string
      drawnBy: number
      illustrator?: Author
      paragraphs?: readonly { id?: number; text: string }[]
    }
    expectTypeOf<Pick<Body, 'id' | 'cover' | 'blurb' | 'chapters'>>().toEqualTypeOf<{
      id?: number
      cover?: { id?: number; url: string } | null
      blurb: { id?: number; text?: string | null }
      chapters?: readonly Chapter[]
    }>()
  })

  test('is any record that has been read', () => {
    expectTypeOf<RecordOf<Bookshop, 'book'>>().toExtend<Body>()
    expectTypeOf<RecordOf<Bookshop, 'category'>>().toExtend<ReplaceBody<Bookshop, 'category'>>()
    expectTypeOf<RecordOf<Bookshop, 'person'>>().toExtend<ReplaceBody<Bookshop, 'person'>>()
  })

  test('may set all fields of an owned record to null by {}', () => {
    expectTypeOf<Record<never, never>>().toExtend<Body['blurb']>()
    expectTypeOf<Record<never, never>>().not.toExtend<Body['cover']>()
  })
})

describe('The body of a patch', () => {
  type Body = PatchBody<Bookshop, 'book'>
  type Chapter = ItemOf<Body['chapters']>

  test('may leave out everything', () => {
    expectTypeOf<Joined<Omit<Body, 'id' | 'partial' | 'cover' | 'blurb' | 'chapters'>>>().toEqualTypeOf<
      Joined<Partial<Patched>>
    >()
    expectTypeOf<Record<never, never>>().toExtend<Body>()
  })

  test('may add to numbers, and to texts, which may be decimals', () => {
    expectTypeOf<{ pages: { $add: number } }>().toExtend<Body>()
    expectTypeOf<{ title: { $add: string } }>().toExtend<Body>()
    expectTypeOf<{ pages: { $add: string } }>().not.toExtend<Body>()
    expectTypeOf<{ binding: { $add: string } }>().not.toExtend<Body>()
    expectTypeOf<{ pages: { $add: number } }>().not.toExtend<ReplaceBody<Bookshop, 'book'>>()
  })

  test('may take away elements of arrays', () => {
    expectTypeOf<{
      chapters: [{ id: number; $remove: true }]
      authors: [{ id: number; $remove: true }]
    }>().toExtend<Body>()
    expectTypeOf<{ chapters: [{ id: number; $remove: false }] }>().not.toExtend<Body>()
    expectTypeOf<{ chapters: [{ $remove: true }] }>().not.toExtend<Body>()
  })

  test('lists fields of the one owned record, or removes it by null', () => {
    expectTypeOf<Pick<Body, 'cover' | 'blurb'>>().toEqualTypeOf<{
      cover?: { id?: number; partial?: true; url?: string | { $add: string } } | null
      blurb?: { id?: number; partial?: true; text?: string | { $add: string } | null }
    }>()
  })

  test('updates owned records by id, and creates those without', () => {
    expectTypeOf<Chapter>().not.toBeAny()
    expectTypeOf<{ id: number }>().toExtend<Chapter>()
    expectTypeOf<{ id: number; paragraphs: [{ id: number }, { text: string }] }>().toExtend<Chapter>()
    expectTypeOf<{ title: string; drawnBy: number; paragraphs: [{ text: string }] }>().toExtend<Chapter>()
    expectTypeOf<{ title: string }>().not.toExtend<Chapter>()
    expectTypeOf<{ title: string; drawnBy: number; paragraphs: [{ id: number }] }>().not.toExtend<Chapter>()
  })

  test('reaches any depth of a resource that owns itself', () => {
    type Category = PatchBody<Bookshop, 'category'>
    type Child = ItemOf<Category['categories']>
    type Grandchild = ItemOf<Child['categories']>
    expectTypeOf<Grandchild>().not.toBeAny()
    expectTypeOf<{ id: number; categories: [{ id: number }, { name: string }] }>().toExtend<Child>()
    expectTypeOf<{ id: number; categories: [{ name: number }] }>().not.toExtend<Grandchild>()
  })

  test('is any record that has been read', () => {
    expectTypeOf<RecordOf<Bookshop, 'book'>>().toExtend<Body>()
    expectTypeOf<RecordOf<Bookshop, 'category'>>().toExtend<PatchBody<Bookshop, 'category'>>()
  })
})

describe('A compile error is a property that is not declared', () => {
  const whole = { title: '', binding: 'soft', notes: null, pages: 1, publisherId: 1, authors: [{ id: 1 }] } as const

  test('in a create, at any depth', () => {
    const bodies: CreateBody<Bookshop, 'book'>[] = [
      // @ts-expect-error
      { ...whole, blurb: {}, titel: '' },
      // @ts-expect-error
      { ...whole, blurb: { txt: '' } },
      // @ts-expect-error
      { ...whole, blurb: {}, chapters: [{ title: '', drawnBy: 1, paragraphs: [{ text: '', txt: '' }] }] },
      // @ts-expect-error
      { ...whole, blurb: {}, tags: [{ id: 1, nmae: '' }] },
      // @ts-expect-error
      { ...whole, blurb: {}, series: { id: 1, title: '', titel: '' } },
      // @ts-expect-error a foreign key to the owner is no part of a body
      { ...whole, blurb: {}, chapters: [{ title: '', drawnBy: 1, partOf: 1 }] },
      // @ts-expect-error an id is given by the database
      { ...whole, blurb: {}, id: 1 },
      // @ts-expect-error an id is given by the database
      { ...whole, blurb: {}, cover: { id: 1, url: '' } },
    ]
    expectTypeOf(bodies).not.toBeAny()
  })

  test('in a replace, at any depth', () => {
    const bodies: ReplaceBody<Bookshop, 'book'>[] = [
      // @ts-expect-error
      { ...whole, blurb: {}, titel: '' },
      // @ts-expect-error
      { ...whole, blurb: { txt: '' } },
      // @ts-expect-error
      { ...whole, blurb: {}, chapters: [{ id: 1, title: '', drawnBy: 1, paragraphs: [{ id: 1, text: '', txt: '' }] }] },
      // @ts-expect-error
      { ...whole, blurb: {}, authors: [{ id: 1, nmae: '' }] },
      // @ts-expect-error
      { ...whole, blurb: {}, publisher: { id: 1, name: '', books: [] } },
    ]
    expectTypeOf(bodies).not.toBeAny()
  })

  test('in a patch, at any depth', () => {
    const bodies: PatchBody<Bookshop, 'book'>[] = [
      // @ts-expect-error
      { titel: '' },
      // @ts-expect-error
      { cover: { ulr: '' } },
      // @ts-expect-error
      { chapters: [{ id: 1, titel: '' }] },
      // @ts-expect-error
      { chapters: [{ title: '', drawnBy: 1, titel: '' }] },
      // @ts-expect-error
      { chapters: [{ id: 1, paragraphs: [{ id: 1, txt: '' }] }] },
      // @ts-expect-error
      { chapters: [{ id: 1, paragraphs: [{ text: '', txt: '' }] }] },
      // @ts-expect-error
      { tags: [{ id: 1, nmae: '' }] },
    ]
    expectTypeOf(bodies).not.toBeAny()
  })
})

describe('A compile error is a value that the rules refuse', () => {
  test('null where there may be no null', () => {
    const bodies: PatchBody<Bookshop, 'book'>[] = [
      // @ts-expect-error
      { title: null },
      // @ts-expect-error
      { edition: null },
      // @ts-expect-error
      { publisherId: null },
      // @ts-expect-error
      { chapters: null },
      // @ts-expect-error
      { blurb: null },
      // @ts-expect-error
      { tags: null },
    ]
    expectTypeOf(bodies).not.toBeAny()
  })

  test('an associated record without its id', () => {
    const bodies: PatchBody<Bookshop, 'book'>[] = [
      // @ts-expect-error
      { authors: [{ name: '' }] },
      // @ts-expect-error
      { tags: [1] },
    ]
    expectTypeOf(bodies).not.toBeAny()
  })
})

test('A body of a model that is not known at compile time has any properties', () => {
  expectTypeOf<{ title: string }>().toExtend<CreateBody<Model, string>>()
  expectTypeOf<Record<string, unknown>>().toExtend<PatchBody<Model, string>>()
})
