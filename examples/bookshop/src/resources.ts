import { defineResources } from 'fastify-crud'
import { audit } from './resources/audit.ts'
import { author, portrait } from './resources/authors.ts'
import { book, chapter, cover, footnote } from './resources/books.ts'
import { boxSet, contract } from './resources/contracts.ts'
import { customer, line, order } from './resources/customers.ts'
import { address, publisher } from './resources/publishers.ts'
import { category, series, tag } from './resources/shelves.ts'

/** The whole service: every route, schema, table and page of the API reference follows from this. */
export const resources = defineResources({
  book,
  cover,
  chapter,
  footnote,
  author,
  portrait,
  publisher,
  address,
  series,
  category,
  tag,
  boxSet,
  contract,
  customer,
  order,
  line,
  audit,
})
