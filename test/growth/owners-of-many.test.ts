import { CrudError, createStore, defineResources, ownedBy, owns } from '@fastify-crud/core'
import { createTables } from '@fastify-crud/tables'
import { Type } from '@sinclair/typebox'
import { expect, test } from 'vitest'
import type { OpenDatabase } from '../support/databases.ts'
import { describeOnBoth } from '../support/describe-on-databases.ts'

const resources = defineResources({
  book: { fields: { title: Type.String() }, relations: { chapters: owns.many('chapter') } },
  chapter: { topLevel: true, fields: { title: Type.String() }, relations: { book: ownedBy('book') } },
})

const MANY = 9_999

describeOnBoth('as many owners as a body may have records', (database) => {
  test('are looked for, and each one that is missing is told, up to the most that an answer lists', async () => {
    const open: OpenDatabase = await database.open()
    try {
      await createTables(open.db, resources)
      const { chapter, book } = createStore({ db: open.db, resources })
      const { id } = await book.create({ title: 'there' })
      const bodies = Array.from({ length: MANY }, (_, index) => ({ title: 'x', bookId: id + index }))
      const refused = await chapter.createMany(bodies).catch((error: unknown) => error)
      expect(refused).toBeInstanceOf(CrudError)
      const { code, errors } = refused as CrudError
      expect([code, errors.length]).toEqual(['CRUD_ERR_UNKNOWN_REFERENCE', 1_000])
    } finally {
      await open.close()
    }
  })
})
