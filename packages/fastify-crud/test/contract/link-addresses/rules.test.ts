import { Type } from '@sinclair/typebox'
import { audit, defineResources, knows, needs, ownedBy, owns, timestamps } from 'fastify-crud'
import { beforeEach, expect, test } from 'vitest'
import { useApp } from '../../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../../test/support/json-body.ts'
import { withIntegerIds } from '../../../../../test/support/test-ids.ts'
import { type Action, type Judged, withRules } from '../../rules/support/rules.ts'

const moment = Type.String({ format: 'date-time', readOnly: true })

const model = defineResources({
  tag: { fields: { name: Type.String() } },
  book: {
    fields: { name: Type.String(), updatedAt: moment, createdAt: moment },
    relations: { tags: knows.many('tag'), topics: needs.many('tag'), parts: owns.many('part') },
  },
  part: { fields: { name: Type.String() }, relations: { book: ownedBy('book'), tags: knows.many('tag') } },
  // A rule for another resource makes no difference to these.
  stamped: {
    fields: { name: Type.String(), code: Type.String(), updatedAt: moment, createdAt: moment },
    relations: { tags: knows.many('tag') },
    unique: [['code', 'updatedAt']],
  },
})

interface Seen {
  readonly action: Action
  readonly before: readonly unknown[]
  readonly after: readonly unknown[]
}

const tagsOf = (row: JsonBody): readonly unknown[] => row?.tags ?? []

describeOnBoth('rules, for one link,', (database) => {
  const validated: Seen[] = []
  const written: Seen[] = []
  const owners: (readonly string[])[] = []
  const seen = ({ action, before, after }: Judged): Seen => ({ action, before: tagsOf(before), after: tagsOf(after) })
  const service = useApp(
    database,
    model,
    withRules({
      book: [
        timestamps(),
        {
          validate(judged) {
            if ((judged.changedBelow ?? []).length > 0) owners.push(judged.changedBelow as string[])
            else validated.push(seen(judged))
            if (tagsOf(judged.after).length > 2) judged.refuse('at most two tags')
            if (tagsOf(judged.before).length === 2 && tagsOf(judged.after).length === 1)
              judged.invalid('tags', 'not one')
          },
          afterWrite: (judged) => void written.push(seen(judged)),
        },
      ],
      stamped: timestamps(),
    }),
  )
  let tags: JsonBody[]
  let path: string

  beforeEach(async () => {
    tags = []
    for (const name of ['a', 'b', 'c']) tags.push(await service.add('/api/tag', { name }))
    const parts = [{ name: 'p' }]
    path = `/api/book/${(await service.add('/api/book', { name: 'b', topics: [{ id: tags[0].id }], parts })).id}`
    for (const list of [validated, written, owners]) list.length = 0
  })

  test('run for the record, with the ids of its links before and after', async () => {
    const [a, b] = tags.map(({ id }) => id)
    await service.put(`${path}/tags/${a}`, undefined)
    expect(validated).toEqual([{ action: 'Edit', before: [], after: [a] }])
    await service.put(`${path}/tags/${b}`, undefined)
    expect(written).toEqual([
      { action: 'Edit', before: [], after: [a] },
      { action: 'Edit', before: [a], after: [a, b] },
    ])
  })

  test('do not run where nothing changes', async () => {
    await service.delete(`${path}/tags/${tags[0].id}`)
    await service.put(`${path}/topics/${tags[0].id}`, undefined)
    expect([validated, written]).toEqual([[], []])
  })

  test('refuse with 409 and 400: what is wrong is in the path', async () => {
    for (const { id } of tags.slice(0, 2)) await service.put(`${path}/tags/${id}`, undefined)
    const refused = { code: 'CRUD_ERR_REFUSED', detail: /^at most two tags$/, parameters: ['tag_id'] } as const
    await service.refuse('PUT', `${path}/tags/${tags[2].id}`, undefined, refused)
    const invalid = { code: 'CRUD_ERR_INVALID', detail: /^not one$/, parameters: ['tag_id'] } as const
    await service.refuse('DELETE', `${path}/tags/${tags[0].id}`, undefined, invalid)
  })

  test('run for the owner of the record', async () => {
    const { parts } = await service.read(path)
    await service.put(`${path}/part/${parts[0].id}/tags/${tags[0].id}`, undefined)
    expect(owners).toEqual([['parts']])
  })

  test('set values of the record whose links change, and of no other', async () => {
    for (const of of [path, `/api/stamped/${(await service.add('/api/stamped', { name: 's', code: 'x' })).id}`]) {
      await service.db
        .updateTable(of === path ? 'book' : 'stamped')
        .set({ updatedAt: '2000-01-01T00:00:00Z' })
        .execute()
      const first = await service.read(of)
      await service.delete(`${of}/tags/${tags[0].id}`)
      expect(await service.read(of)).toEqual(first)
      await service.put(`${of}/tags/${tags[0].id}`, undefined)
      const second = await service.read(of)
      expect(Date.parse(second.updatedAt)).toBeGreaterThan(Date.parse(first.updatedAt))
      expect(second).toMatchObject({ name: first.name, createdAt: first.createdAt })
    }
  })
})

const change = {
  at: Type.String({ format: 'date-time' }),
  resource: Type.String({ maxLength: 50 }),
  recordId: Type.String({ maxLength: 100 }),
  action: Type.String(),
  before: Type.Optional(Type.Any()),
  after: Type.Optional(Type.Any()),
  caller: Type.Optional(Type.Any()),
}

const audited = withIntegerIds(
  defineResources({
    tag: { fields: { name: Type.String() } },
    book: { fields: { name: Type.String() }, relations: { tags: knows.many('tag') } },
    audit: { fields: change },
  }),
)

describeOnBoth('`audit`', (database) => {
  const service = useApp(database, audited, withRules({ book: audit('audit') }))

  test('has a link that was added by its address', async () => {
    const tag = await service.add('/api/tag', { name: 't' })
    const book = await service.add('/api/book', { name: 'b' })
    await service.put(`/api/book/${book.id}/tags/${tag.id}`, undefined)
    await service.delete(`/api/book/${book.id}/tags/${tag.id}`)
    const { rows } = await service.read('/api/audit?sort=at&filter[action]=Edit')
    expect(rows.map(({ after }: JsonBody) => after.tags)).toEqual([[tag.id], []])
  })
})
