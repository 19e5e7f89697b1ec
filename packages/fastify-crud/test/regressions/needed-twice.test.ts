import { Type } from '@sinclair/typebox'
import { defineResources, needs } from 'fastify-crud'
import { test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'

const name = Type.String()
const library = defineResources({
  person: { fields: { name } },
  book: {
    fields: { name },
    relations: { author: needs.one('person'), editor: needs.one('person'), readers: needs.many('person') },
  },
})

describeOnBoth('a record that others need through several relations', (database) => {
  const service = useApp(database, library)

  test('is not deleted: each relation is named with its own count', async () => {
    const { id } = await service.add('/api/person', { name: 'a' })
    const other = await service.add('/api/person', { name: 'b' })
    for (const [authorId, editorId, reader] of [
      [id, id, other.id],
      [id, other.id, id],
      [id, other.id, other.id],
    ]) {
      await service.add('/api/book', { name: 'n', authorId, editorId, readers: [{ id: reader }] })
    }
    const needed = 'CRUD_ERR_STILL_NEEDED'
    const path = `/api/person/${id}`
    await service.refuse('DELETE', path, undefined, { code: needed, detail: /\b3 book records \(author\)/ })
    await service.refuse('DELETE', path, undefined, { code: needed, detail: /\b1 book record \(editor\)/ })
    await service.refuse('DELETE', path, undefined, { code: needed, detail: /\b1 book record \(readers\)/ })
  })
})
