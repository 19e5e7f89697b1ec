import { createHash } from 'node:crypto'
import { Type } from '@sinclair/typebox'
import { defineResources, ownedBy, owns } from 'fastify-crud'
import { expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'

const book = defineResources({
  book: { fields: { title: Type.String() }, relations: { chapters: owns.many('chapter') }, unique: [['title']] },
  chapter: { fields: { title: Type.String() }, relations: { book: ownedBy('book') }, unique: [['book', 'title']] },
})

/** Text that cannot be compressed, always the same. */
function randomText(length: number): string {
  let text = ''
  for (let n = 0; text.length < length; n++) text += createHash('sha512').update(`${n}`).digest('base64')
  return text.slice(0, length)
}

describeOnBoth('a unique text of 8,000 random characters', (database) => {
  const service = useApp(database, book)
  const title = randomText(8_000)

  const isHeld = database.name === 'sqlite'

  test(isHeld ? 'is stored' : 'is refused with 400, as an index cannot hold it', async () => {
    const { id } = await service.add('/api/book', { title: 'a', chapters: [{ title: 'c' }] })
    const chapters = [{ title: 'd' }, { title }]
    for (const [method, path, body, accepted, pointer] of [
      ['POST', '/api/book', { title }, 201, ''],
      ['POST', '/api/book', { title: 'b', chapters }, 201, '/chapters/1'],
      ['POST', `/api/book/${id}/chapter`, { title }, 201, ''],
      ['PATCH', `/api/book/${id}`, { chapters: [{ title: `${title}.` }] }, 200, '/chapters/0'],
      ['PUT', `/api/book/${id}`, { title: `${title}.`, chapters }, 200, ''],
    ] as const) {
      if (isHeld) {
        const { status, body: record } = await service.request(method, path, body)
        expect(status).toBe(accepted)
        expect(JSON.stringify(record)).toContain(title)
      } else await service.refuse(method, path, body, { code: 'CRUD_ERR_INVALID', pointers: [pointer] })
    }
  })
})
