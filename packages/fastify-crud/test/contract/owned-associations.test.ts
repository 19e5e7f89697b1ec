import { beforeEach, expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../test/support/json-body.ts'
import { anyId, missingId } from '../../../../test/support/test-ids.ts'
import { threeLevels } from './models/three-levels.ts'

describeOnBoth('an owned record that needs and knows records outside', (database) => {
  const service = useApp(database, threeLevels)
  let kinds: JsonBody[]
  let tags: JsonBody[]
  let a: JsonBody
  let leaf: JsonBody
  let path: string
  const refs = (...indexes: number[]) => indexes.map((index) => ({ id: tags[index].id }))

  beforeEach(async () => {
    kinds = [await service.add('/api/kind', { name: 'k0' }), await service.add('/api/kind', { name: 'k1' })]
    tags = []
    for (const name of ['t0', 't1', 't2']) tags.push(await service.add('/api/tag', { name }))
    const leaves = [{ name: 'l', kindId: kinds[0].id, tags: refs(0, 1) }]
    a = await service.add('/api/a', { name: 'a', only: { name: 'o', leaves } })
    leaf = a.only.leaves[0]
    path = `/api/a/${a.id}`
  })

  test('POST of the owner associates it', async () => {
    expect(leaf).toEqual({
      id: anyId,
      name: 'l',
      kindId: kinds[0].id,
      kind: kinds[0],
      tags: [tags[0], tags[1]],
    })
    expect(await service.read(path)).toEqual(a)
  })

  test('a wrong id is 400 and nothing is stored', async () => {
    const unknown = 'CRUD_ERR_UNKNOWN_REFERENCE'
    const leaves = [
      { name: 'l', kindId: kinds[0].id },
      { name: 'm', kindId: missingId('kind') },
    ]
    await service.refuse(
      'POST',
      '/api/a',
      { name: 'x', only: { name: 'o', leaves } },
      {
        code: unknown,
        pointers: ['/only/leaves/1/kindId'],
      },
    )
    await service.refuse(
      'PUT',
      path,
      { name: 'x', only: { name: 'o', leaves } },
      {
        code: unknown,
        pointers: ['/only/leaves/1/kindId'],
      },
    )
    const tagged = [{ id: leaf.id, tags: [...refs(2), { id: missingId('tag') }] }]
    await service.refuse(
      'PATCH',
      path,
      { only: { leaves: tagged } },
      {
        code: unknown,
        pointers: ['/only/leaves/0/tags/1/id'],
      },
    )
  })

  test('the foreign key is required in an element that is new', async () => {
    await service.refuse(
      'POST',
      '/api/a',
      { name: 'x', only: { name: 'o', leaves: [{ name: 'l' }] } },
      {
        code: 'CRUD_ERR_INVALID',
        pointers: ['/only/leaves/0/kindId'],
      },
    )
    await service.refuse(
      'PATCH',
      path,
      { only: { leaves: [{ name: 'l' }] } },
      {
        code: 'CRUD_ERR_INVALID',
        pointers: ['/only/leaves/0/kindId'],
      },
    )
  })

  test('PUT sets foreign key and links, at that depth too', async () => {
    const leaves = [{ id: leaf.id, name: 'l', kindId: kinds[1].id, tags: refs(1, 2) }]
    const { body } = await service.put(path, { name: 'a', only: { name: 'o', leaves } })
    expect(body.only).toEqual({
      id: a.only.id,
      name: 'o',
      leaves: [{ id: leaf.id, name: 'l', kindId: kinds[1].id, kind: kinds[1], tags: [tags[1], tags[2]] }],
    })
    const cleared = await service.put(path, {
      name: 'a',
      only: { name: 'o', leaves: [{ id: leaf.id, name: 'l', kindId: kinds[1].id }] },
    })
    expect(cleared.body.only.leaves[0].tags).toEqual([])
    expect((await service.snapshot()).leaf_tags).toEqual([])
  })

  test('PATCH adds links and moves the foreign key, at that depth too', async () => {
    const leaves = [{ id: leaf.id, kindId: kinds[1].id, tags: refs(2) }]
    const { body } = await service.patch(path, { only: { leaves } })
    expect(body.only.leaves).toEqual([{ ...leaf, kindId: kinds[1].id, kind: kinds[1], tags }])
  })

  test('PUT with the nested records of GET changes nothing outside', async () => {
    const wrong = {
      ...leaf,
      kind: { ...leaf.kind, name: 'other' },
      tags: leaf.tags.map((tag: JsonBody) => ({ ...tag, name: 'x' })),
    }
    expect((await service.put(path, { ...a, only: { ...a.only, leaves: [wrong] } })).body).toEqual(a)
    expect((await service.read('/api/kind')).rows).toEqual(kinds)
    expect((await service.read('/api/tag')).rows).toEqual(tags)
  })

  test('through the nested endpoint', async () => {
    const nested = `${path}/only/${a.only.id}/leaf`
    const answer = await service.post(nested, { name: 'm', kindId: kinds[1].id, tags: refs(0) })
    expect(answer.status).toBe(201)
    expect(answer.body).toEqual({ id: answer.body.id, name: 'm', kindId: kinds[1].id, kind: kinds[1], tags: [tags[0]] })
    await service.refuse(
      'POST',
      nested,
      { name: 'm', kindId: missingId('kind') },
      {
        code: 'CRUD_ERR_UNKNOWN_REFERENCE',
        pointers: ['/kindId'],
      },
    )
    expect((await service.put(`${nested}/${leaf.id}`, leaf)).body).toEqual(leaf)
  })

  test('a removed child: its grandchildren go, links first, and the records outside stay', async () => {
    const { body } = await service.put(path, { name: 'a' })
    expect(body.only).toBeNull()
    const { only, leaf: leaves, leaf_tags } = await service.snapshot()
    expect([only, leaves, leaf_tags]).toEqual([[], [], []])
    expect((await service.read('/api/tag')).rows).toEqual(tags)
    expect((await service.read('/api/kind')).rows).toEqual(kinds)
  })
})
