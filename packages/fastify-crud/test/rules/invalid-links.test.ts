import { Type } from '@sinclair/typebox'
import { defineResources, knows, ownedBy, owns, timestamps } from 'fastify-crud'
import { beforeEach, expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../test/support/json-body.ts'
import { withRules } from './support/rules.ts'

const moment = Type.String({ format: 'date-time', readOnly: true })
const fields = { text: Type.String(), createdAt: moment, updatedAt: moment }

const resources = defineResources({
  tag: { fields: { name: Type.String() } },
  post: { fields, relations: { tags: knows.many('tag'), parts: owns.many('part') } },
  part: { fields, relations: { post: ownedBy('post'), tags: knows.many('tag') } },
})

/** Records may not have exactly two tags. */
const rule = {
  validate({
    after,
    invalid,
  }: {
    after: { tags: readonly unknown[] } | null
    invalid(name: 'tags', text: string): void
  }) {
    if (after?.tags.length === 2) invalid('tags', 'not two')
  },
}

describeOnBoth('`invalid` of links, beside timestamps', (database) => {
  const rules = { post: [timestamps(), rule], part: [timestamps(), rule] }
  const service = useApp(database, resources, withRules(rules))
  let tags: JsonBody[]
  let post: JsonBody
  let path: string

  beforeEach(async () => {
    tags = []
    for (const name of ['a', 'b', 'c']) tags.push(await service.add('/api/tag', { name }))
    const part = { text: 'p', tags: tags.map(({ id }) => ({ id })) }
    post = await service.add('/api/post', {
      text: 't',
      tags: part.tags,
      parts: [part, { text: 'q', tags: [part.tags[0]] }],
    })
    path = `/api/post/${post.id}`
  })

  const refused = (...pointers: string[]) => ({ code: 'CRUD_ERR_INVALID', pointers }) as const

  test('points to the array, whether links are added or removed', async () => {
    const two = [{ id: tags[0].id }, { id: tags[1].id }]
    await service.refuse('PUT', path, { ...post, tags: two }, refused('/tags'))
    await service.refuse('PUT', path, { ...post, text: 'new', tags: two }, refused('/tags'))
    await service.refuse('PATCH', `${path}/part/${post.parts[1].id}`, { tags: [{ id: tags[1].id }] }, refused('/tags'))
  })

  test('points to the array of a nested record', async () => {
    const [first, second] = post.parts
    const added = { parts: [{ id: second.id, tags: [{ id: tags[2].id }] }] }
    await service.refuse('PATCH', path, added, refused('/parts/0/tags'))
    const removed = { ...post, parts: [second, { ...first, tags: [{ id: tags[0].id }, { id: tags[2].id }] }] }
    await service.refuse('PUT', path, removed, refused('/parts/1/tags'))
  })

  test('stores and stamps what it lets through', async () => {
    const one = [{ id: tags[0].id }]
    const { status, body } = await service.put(path, { ...post, tags: one })
    expect([status, body.tags.length]).toEqual([200, 1])
    expect(Date.parse(body.updatedAt)).toBeGreaterThanOrEqual(Date.parse(post.updatedAt))
  })
})
