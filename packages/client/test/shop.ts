import {
  countOf,
  defineActions,
  defineResources,
  field,
  knows,
  neededBy,
  needs,
  ownedBy,
  owns,
} from '@fastify-crud/core'
import { Type } from '@sinclair/typebox'

const text = Type.String()

/** A bookshop that has something of everything that a client meets. */
export const shop = defineResources({
  publisher: {
    fields: { name: Type.String({ minLength: 1 }) },
    relations: { books: neededBy.many('book') },
    unique: [['name']],
    groups: true,
  },
  book: {
    route: 'books',
    fields: {
      title: Type.String({ minLength: 1 }),
      price: field(Type.Number({ minimum: 0 }), { default: 0 }),
      notes: Type.Optional(Type.Any()),
    },
    relations: {
      publisher: needs.one('publisher'),
      authors: needs.many('author'),
      chapters: owns.many('chapter', { order: 'place' }),
      cover: owns.one('cover'),
      tags: knows.many('tag', { order: 'place' }),
    },
    computed: { chapterCount: countOf('chapters') },
    search: { fields: ['title'] },
    groups: true,
  },
  chapter: {
    topLevel: true,
    fields: { title: text },
    relations: { book: ownedBy('book'), notes: owns.many('note') },
  },
  note: { fields: { text }, relations: { chapter: ownedBy('chapter') } },
  cover: { fields: { url: text }, relations: { book: ownedBy('book') } },
  author: { id: 'uuid', fields: { name: text } },
  tag: { id: 'text', fields: { name: text } },
  folder: {
    history: true,
    fields: { name: text },
    relations: {
      parent: ownedBy('folder', { optional: true }),
      folders: owns.many('folder'),
      files: owns.many('file'),
    },
  },
  file: { fields: { name: text }, relations: { folder: ownedBy('folder') } },
  invoice: {
    ifMatch: 'required',
    softDelete: { column: 'goneAt', trash: { purge: true } },
    fields: { total: Type.Integer(), status: field(text, { default: 'sent' }) },
  },
  line: {
    id: ['order', 'product'],
    fields: { count: Type.Integer() },
    relations: { order: ownedBy('order'), product: needs.one('tag') },
  },
  order: { fields: { name: text }, relations: { lines: owns.many('line') } },
  model: { fields: { name: text } },
})

export const actions = defineActions(shop, {
  invoice: {
    pay: {
      asks: 'Edit',
      body: Type.Object({ by: text }),
      async run({ id, body, store, refuse }) {
        if (body.by === 'nobody') refuse('somebody has to pay')
        await store.invoice.patch(id, { status: `paid by ${body.by}` })
      },
    },
    isPaid: {
      asks: 'View',
      method: 'GET',
      query: Type.Object({ by: Type.Optional(text) }),
      answer: Type.Boolean(),
      run: async ({ id, query, store }) => (await store.invoice.find(id)).status === `paid by ${query.by}`,
    },
    sums: {
      on: 'list',
      asks: 'View',
      query: Type.Object({ above: Type.Array(Type.Integer()) }),
      answer: Type.Array(Type.Integer()),
      run: async ({ query, store }) =>
        await Promise.all(
          query.above.map(async (gt) => (await store.invoice.list({ filter: { total: { gt } } })).count),
        ),
    },
    clear: {
      on: 'list',
      asks: 'Delete',
      changes: ['invoice'],
      run: async ({ store }) => {
        for (const { id } of (await store.invoice.list()).rows) await store.invoice.delete(id)
      },
    },
  },
})
