import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { defineResources, neededBy, needs, ownedBy, owns } from '@fastify-crud/core'
import { createTables } from '@fastify-crud/tables'
import { Type } from '@sinclair/typebox'
import Fastify from 'fastify'
import { crudPlugin } from 'fastify-crud'
import { describe, expect, test } from 'vitest'
import { databases } from './support/databases.ts'

const page = readFileSync(join(import.meta.dirname, '../docs/coming-from.md'), 'utf8')

/** The queries in the last column of the page's tables. What ends in `=` waits for a value. */
const queries = new Set(
  [...page.matchAll(/^\|.*\| ([^|]*) \|$/gm)]
    .flatMap(([, here = '']) => [...here.matchAll(/`([^`]+)`/g)])
    .map(([, span = '']) => span)
    .filter((span) => /=./.test(span)),
)

// As on the page.
const resources = defineResources({
  publisher: { fields: { name: Type.String() }, relations: { books: neededBy.many('book') } },
  book: {
    groups: true,
    fields: { title: Type.String(), price: Type.Optional(Type.Number()) },
    relations: { publisher: needs.one('publisher'), chapters: owns.many('chapter') },
    search: { fields: ['title', 'publisher.name'] },
  },
  chapter: { fields: { title: Type.String() }, relations: { book: ownedBy('book') } },
})

describe.each(databases)('on $name', (database) => {
  test('all that docs/coming-from.md shows in the column "here" is answered', async () => {
    const { db, close } = await database.open()
    await createTables(db, resources)
    const app = Fastify()
    await app.register(crudPlugin, { db, resources })
    expect(queries.size).toBeGreaterThan(20)
    const refused: string[] = []
    for (const query of queries) {
      const { statusCode, body } = await app.inject(query.startsWith('/') ? query : `/api/book?${query}`)
      if (statusCode !== 200) refused.push(`${query}: ${body}`)
    }
    expect(refused).toEqual([])
    await app.close()
    await close()
  })
})
