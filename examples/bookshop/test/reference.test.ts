import { afterAll, beforeAll, expect, test } from 'vitest'
import { mayDo } from '../src/access.ts'
import { findCaller, visitor } from '../src/caller.ts'
import { describeInShop } from './describe-in-shop.ts'
import { type OpenShop, openShop, requestAs } from './open-shop.ts'

interface Operation {
  tags: [string]
  security?: object[]
}

type Method = keyof typeof actions
type PathItem = { [M in Method]?: Operation } & {
  post?: { requestBody: { content: { 'application/json': { schema: { $ref: string } } } } }
}

interface Document {
  openapi: string
  tags: { name: string; description: string }[]
  security: object[]
  paths: Record<string, PathItem>
  components: { schemas: Record<string, { examples?: object[] }>; parameters: Record<string, { required?: boolean }> }
}

const actions = { get: 'View', head: 'View', post: 'Add', put: 'Edit', patch: 'Edit', delete: 'Delete' } as const
const methods = Object.keys(actions) as Method[]

describeInShop('the API reference of the bookshop', (database) => {
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

  test('says which operations need the header', async () => {
    let needed = 0
    for (const [path, item] of Object.entries(document.paths)) {
      for (const method of methods) {
        const operation = item[method]
        if (operation === undefined) continue
        const {
          tags: [resource],
          security = document.security,
        } = operation
        const answer = mayDo(visitor, actions[method], resource)
        const isOptional = security.some((one) => Object.keys(one).length === 0)
        expect([path, method, isOptional]).toEqual([path, method, answer])
        if (!isOptional) needed++
      }
    }
    expect(needed).toBeGreaterThan(50)
  })

  test('has no example of what may be left out: it would send it with each request', () => {
    const optional = Object.values(document.components.parameters).filter(({ required }) => required !== true)
    expect(optional.length).toBeGreaterThan(5)
    for (const parameter of optional) expect(parameter).not.toHaveProperty('example')
  })

  test('has an example for each POST that can be sent as it is', async () => {
    const ada = (await findCaller(open.db, 'ada')) ?? expect.unreachable()
    const posts = Object.entries(document.paths).filter(([path, { post }]) => {
      return !/[{$]/.test(path) && mayDo(ada, 'Add', post?.tags[0] ?? '')
    })
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
