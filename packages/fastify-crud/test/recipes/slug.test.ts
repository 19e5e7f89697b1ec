import { beforeEach, expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnBoth, describeServersOnDatabases } from '../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../test/support/json-body.ts'
import { resultOf } from '../../../../test/support/result-of.ts'
import { type Request, useServers } from '../../../../test/support/servers.ts'
import { crudOf } from '../rules/support/crud-of.ts'
import { addDeep, answerOf, type DeepRecord, expectAllRefused, waysToChange } from './support/deep-record.ts'
import { deepened } from './support/deepened.ts'
import { recipeOf } from './support/recipe.ts'

const { resources, rules } = await recipeOf('A slug that is unique within its owner')
const deep = deepened(resources, 'blog')
const taken = { status: 409, body: { code: 'CRUD_ERR_NOT_UNIQUE' } }
const refused = {
  status: 409,
  body: { code: 'CRUD_ERR_REFUSED', errors: [{ message: 'two published posts have the same place' }] },
}
const published = (title: string, place: number | null) => ({ title, place, published: true })

describeOnBoth('the recipe of a slug', (database) => {
  const service = useApp(database, deep, { plugin: { rules } })
  let blog: DeepRecord
  let ink: JsonBody
  let nib: JsonBody
  beforeEach(async () => {
    const posts = [published('Blue Ink', 1), { title: 'Nib', place: 1 }]
    blog = await addDeep(service.request, 'blog', { name: 'b', posts })
    ;[ink, nib] = blog.record.posts
  })

  const posts = () => blog.inStore(crudOf(service)).owned(blog.record.id, 'posts')
  const to = (method: string, path: string, body: unknown) => ({
    by: `${method} ${path}`,
    go: () => service.request(method, path, body),
  })

  test('is made of the title, and stays when the title changes', async () => {
    expect([ink.slug, nib.slug]).toEqual(['blue-ink', 'nib'])
    const path = `${blog.path}/post/${ink.id}`
    expect((await service.patch(path, { title: 'Red Ink' })).body).toMatchObject({ title: 'Red Ink', slug: 'blue-ink' })
    expect((await service.put(path, { title: 'Green Ink' })).body).toMatchObject({ slug: 'blue-ink' })
  })

  test('is there once in a blog, by whichever way a post is added', async () => {
    const again = { title: 'blue ink' }
    const adding = waysToChange(service, blog, { posts: [again] }).filter(({ replaces }) => !replaces)
    await expectAllRefused(service, adding, taken)
    await expectAllRefused(service, waysToChange(service, blog, { posts: [{ title: 'Ink' }, { title: 'INK' }] }), taken)
    await expectAllRefused(
      service,
      [
        to('POST', `${blog.path}/post`, again),
        to('POST', `${blog.path}/post/77`, again),
        to('POST', '/api/floor', { rooms: [{ shelves: [{ items: [{ name: 'c', posts: [again, again] }] }] }] }),
        { by: 'the store', go: () => answerOf(posts().create(again)) },
      ],
      taken,
    )
  })

  test('may be in another blog, and in a PUT that replaces the post', async () => {
    await addDeep(service.request, 'blog', { name: 'c', posts: [{ title: 'Blue Ink' }] })
    const put = { name: 'b', posts: [{ title: 'Blue Ink' }] }
    expect(await service.put(blog.path, put)).toMatchObject({ status: 200, body: { posts: [{ slug: 'blue-ink' }] } })
  })

  test('cannot be set by a body', async () => {
    for (const [method, path, body] of [
      ['POST', `${blog.path}/post`, { title: 'x', slug: 'mine' }],
      ['PATCH', `${blog.path}/post/${ink.id}`, { slug: 'nib' }],
      ['PATCH', blog.floorPath, blog.inFloor({ id: blog.record.id, posts: [{ id: ink.id, slug: 'nib' }] })],
    ] as const) {
      await service.refuse(method, path, body, { code: 'CRUD_ERR_INVALID' })
    }
    const put = { name: 'b', posts: [{ ...ink, slug: 'nib' }, nib] }
    expect((await service.put(blog.path, put)).body.posts).toEqual([ink, nib])
  })

  test('an invariant holds among published posts, by whichever way they are written', async () => {
    const { id } = nib
    await expectAllRefused(
      service,
      waysToChange(service, blog, { posts: [ink, { id, ...published('Nib', 1) }].map(withoutSlug) }),
      refused,
    )
    await expectAllRefused(
      service,
      [
        to('PATCH', `${blog.path}/post/${id}`, { published: true }),
        to('PUT', `${blog.path}/post/${id}`, published('Nib', 1)),
        to('POST', `${blog.path}/post`, published('Pen', 1)),
        { by: 'the store', go: () => answerOf(posts().patch(id, { published: true })) },
        { by: 'the store', go: () => answerOf(posts().create(published('Pen', 1))) },
      ],
      refused,
    )
    expect((await service.patch(`${blog.path}/post/${id}`, { place: 2, published: true })).status).toBe(200)
  })

  test('an invariant lets posts swap their places', async () => {
    await service.patch(`${blog.path}/post/${nib.id}`, { place: 2, published: true })
    const swapped = [
      { id: ink.id, place: 2 },
      { id: nib.id, place: 1 },
    ]
    expect((await service.patch(blog.floorPath, blog.inFloor({ id: blog.record.id, posts: swapped }))).status).toBe(200)
    expect((await service.read(blog.path)).posts).toMatchObject(swapped)
  })
})

function withoutSlug({ slug: _, ...post }: JsonBody): JsonBody {
  return post
}

describeServersOnDatabases('the recipe of a slug, on several servers', (database) => {
  const servers = useServers(database, deep, { plugin: { rules } })

  test('lets one of those pass who want the same slug, or the same place', async () => {
    const { path, floorPath, inFloor, record } = await addDeep(servers.one.request, 'blog', { name: 'b' })
    const { id } = record
    const sameSlug: Request[] = [
      ['POST', `${path}/post`, { title: 'Ink' }],
      ['PATCH', floorPath, inFloor({ id, posts: [{ title: 'ink' }] })],
    ]
    const samePlace = Array.from({ length: 4 }, (_, index): Request => {
      const post = published(`t${index}`, 7)
      return index % 2 === 0 ? ['POST', `${path}/post`, post] : ['PATCH', path, { posts: [post] }]
    })
    const slugs = (await servers.atOnce(...sameSlug, ...sameSlug)).map(resultOf)
    expect(slugs.filter((result) => result === '409 CRUD_ERR_NOT_UNIQUE')).toHaveLength(3)
    const places = (await servers.atOnce(...samePlace)).map(resultOf)
    expect(places.filter((result) => result === '409 CRUD_ERR_REFUSED')).toHaveLength(3)
    expect((await servers.one.read(path)).posts).toHaveLength(2)
  })
})
