import { Type } from '@sinclair/typebox'
import { defineResources, ownedBy, owns } from 'fastify-crud'
import { expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../test/support/json-body.ts'
import { type TestRules, withRules } from './support/rules.ts'

const text = Type.String()

describeOnBoth('a slug that is unique within its owner', (database) => {
  const model = defineResources({
    blog: { fields: { name: text }, relations: { posts: owns.many('post') } },
    post: { fields: { slug: text }, relations: { blog: ownedBy('blog') } },
  })
  const slugs: TestRules = {
    blog: {
      invariant: {
        reads: ['posts.slug'],
        test({ after, refuse }) {
          const names = (after?.posts ?? []).map(({ slug }: JsonBody) => slug)
          if (new Set(names).size < names.length) refuse('two posts have the same slug')
        },
      },
    },
  }
  const service = useApp(database, model, withRules(slugs))
  const code = 'CRUD_ERR_REFUSED'

  test('may be swapped, and is refused where it stays double', async () => {
    const posts = [{ slug: 'a' }, { slug: 'b' }]
    const blog = await service.add('/api/blog', { name: 'b', posts })
    await service.add('/api/blog', { name: 'c', posts })
    const path = `/api/blog/${blog.id}`
    const [first, second] = blog.posts
    const swapped = [
      { id: first.id, slug: 'b' },
      { id: second.id, slug: 'a' },
    ]
    expect((await service.patch(path, { posts: swapped })).status).toBe(200)
    await service.refuse('POST', `${path}/post`, { slug: 'a' }, { code })
    await service.refuse('PATCH', path, { posts: [{ slug: 'c' }, { slug: 'c' }] }, { code })
    await service.refuse('POST', '/api/blog', { name: 'd', posts: [{ slug: 'a' }, { slug: 'a' }] }, { code })
  })
})
