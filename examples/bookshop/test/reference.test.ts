import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeOnDatabases } from '../../../test/support/describe-on-databases.ts'
import { type OpenShop, openShop, requestAs } from './open-shop.ts'

interface Document {
  openapi: string
  tags: { name: string; description: string }[]
  paths: Record<string, { post?: { requestBody: { content: { 'application/json': { schema: { $ref: string } } } } } }>
  components: { schemas: Record<string, { examples?: object[] }> }
}

describeOnDatabases('the API reference of the bookshop', (database) => {
  let open: OpenShop
  let document: Document
  beforeAll(async () => {
    open = await openShop(database)
    document = (await open.app.inject('/reference/openapi.json')).json()
  })
  afterAll(() => open.close())

  test('is made from an OpenAPI document with every route', () => {
    expect(document.openapi).toBe('3.1.0')
    expect(Object.keys(document.paths)).toContain('/api/book/{book_id}/chapter/{chapter_id}/footnote/{id}')
    expect(document.tags.every(({ description }) => description.length > 10)).toBe(true)
  })

  test('has an example for each POST that can be sent as it is', async () => {
    const posts = Object.entries(document.paths).filter(([path]) => !path.includes('{'))
    expect(posts.length).toBe(10)
    for (const [path, { post }] of posts) {
      const name = post?.requestBody.content['application/json'].schema.$ref.split('/').at(-1) ?? ''
      const answer = await open.app.inject(
        requestAs('ada', 'POST', path, document.components.schemas[name]?.examples?.[0]),
      )
      expect(answer.json(), path).toHaveProperty('id')
      expect(answer.statusCode).toBe(201)
    }
  })
})
