import { Type } from '@sinclair/typebox'
import { defineResources, knows, neededBy, needs, ownedBy, owns } from 'fastify-crud'

const fields = {
  publisher: { fullName: Type.String(), foundedOn: Type.Optional(Type.String({ format: 'date' })) },
  author: { firstName: Type.String() },
  book: {
    mainTitle: Type.String(),
    unitPrice: Type.Optional(Type.Number()),
    isOut: Type.Boolean({ default: false }),
    extraData: Type.Optional(Type.Any()),
  },
  cover: { imageUrl: Type.String() },
  chapter: { mainTitle: Type.String(), pageCount: Type.Optional(Type.Integer()) },
  tag: { tagName: Type.String() },
}

/** Every relation kind once, stored under the default names. */
export const library = defineResources({
  publisher: { fields: fields.publisher, relations: { books: neededBy.many('book') } },
  author: { fields: fields.author },
  book: {
    fields: fields.book,
    relations: {
      mainPublisher: needs.one('publisher'),
      authors: needs.many('author'),
      cover: owns.one('cover'),
      chapters: owns.many('chapter'),
      nextBook: knows.one('book'),
      bookTags: knows.many('tag'),
    },
    unique: [['mainTitle']],
  },
  cover: { fields: fields.cover, relations: { book: ownedBy('book') } },
  chapter: {
    fields: fields.chapter,
    relations: { book: ownedBy('book'), chiefEditor: knows.one('author') },
    unique: [['book', 'mainTitle']],
  },
  tag: { fields: fields.tag },
})

/** The same resources, stored under names that have nothing to do with the properties'. */
export const libraryElsewhere = defineResources({
  publisher: {
    table: 'T_PUB',
    columns: { id: 'pub_no', fullName: 'pub_name', foundedOn: 'since' },
    fields: fields.publisher,
    relations: { books: neededBy.many('book') },
  },
  author: { table: 'T_AUT', columns: { id: 'aut_no', firstName: 'aut_name' }, fields: fields.author },
  book: {
    table: 'T_BOOK',
    columns: {
      id: 'book_no',
      mainTitle: 'book_title',
      unitPrice: 'price',
      isOut: 'Published?',
      extraData: 'json_blob',
      mainPublisherId: 'pub_ref',
      nextBookId: 'sequel_ref',
    },
    fields: fields.book,
    relations: {
      mainPublisher: needs.one('publisher'),
      authors: needs.many('author', { through: 'T_WRITES', from: 'what', to: 'who' }),
      cover: owns.one('cover'),
      chapters: owns.many('chapter'),
      nextBook: knows.one('book'),
      bookTags: knows.many('tag', { through: 'T_TAGGED', from: 'book_ref', to: 'tag_ref' }),
    },
    unique: [['mainTitle']],
  },
  cover: {
    table: 'T_COVER',
    columns: { id: 'cover_no', imageUrl: 'url', bookId: 'book_ref' },
    fields: fields.cover,
    relations: { book: ownedBy('book') },
  },
  chapter: {
    table: 'T_CHAP',
    columns: {
      id: 'chap_no',
      mainTitle: 'chap_title',
      pageCount: 'pages',
      bookId: 'book_ref',
      chiefEditorId: 'editor_ref',
    },
    fields: fields.chapter,
    relations: { book: ownedBy('book'), chiefEditor: knows.one('author') },
    unique: [['book', 'mainTitle']],
  },
  tag: { table: 'T_TAG', columns: { id: 'tag_no', tagName: 'tag_text' }, fields: fields.tag },
})
