import { Type } from '@sinclair/typebox'
import { type Authorize, defineResources, ownedBy, owns } from 'fastify-crud'
import { beforeEach, describe, expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../test/support/json-body.ts'
import { expectProblem } from '../../../../test/support/problem.ts'

// Writes of many at the top look up the owners of their records, ask about these, and only then take locks. Here a record
// moves right behind the first question.

const name = Type.String()

const resources = defineResources({
  board: { fields: { name }, relations: { lists: owns.many('list') } },
  list: {
    authorizedBy: 'owner',
    fields: { name },
    relations: { board: ownedBy('board', { moves: true }), items: owns.many('item') },
  },
  item: {
    topLevel: true,
    authorizedBy: 'owner',
    fields: { name },
    unique: [['name']],
    relations: { list: ownedBy('list') },
  },
})

describeOnBoth('writes of many at the top, while an owner moves,', (database) => {
  let from: JsonBody = {}
  const asked = new Set<string>()
  let meanwhile: (() => Promise<unknown>) | undefined
  let refused: string | undefined
  const authorize: Authorize = async (_, { action, resource, id }) => {
    const question = `${action} ${resource} ${id}`
    asked.add(question)
    if (question === `Edit board ${from.id}`) {
      const work = meanwhile
      meanwhile = undefined
      await work?.()
    }
    return question !== refused
  }
  const service = useApp(database, resources, { plugin: { authorize } })
  let to: JsonBody

  beforeEach(async () => {
    meanwhile = undefined
    refused = undefined
    from = await service.add('/api/board', {
      name: 'from',
      lists: [{ name: 'a', items: [{ name: 'i' }, { name: 'j' }] }, { name: 'b' }],
    })
    to = await service.add('/api/board', { name: 'to' })
    asked.clear()
  })

  /** Has the first list move behind the first question about its board. */
  const move = () => {
    const [{ id }] = from.lists
    meanwhile = () => service.db.updateTable('list').set({ boardId: to.id }).where('id', '=', id).execute()
  }
  const names = async () => (await service.read('/api/item?sort=name')).rows.map((one: JsonBody) => one.name)

  type Send = () => Promise<{ readonly status: number; readonly body: JsonBody }>
  const writes: [what: string, send: Send, left: readonly string[]][] = [
    [
      'a POST of several records below one owner',
      () =>
        service.post(
          '/api/item',
          ['k', 'l'].map((one) => ({ name: one, listId: from.lists[0].id })),
        ),
      ['i', 'j', 'k', 'l'],
    ],
    [
      'a POST of records below several owners',
      () =>
        service.post(
          '/api/item',
          from.lists.map(({ id }: JsonBody) => ({ name: `k${id}`, listId: id })),
        ),
      ['i', 'j', expect.any(String), expect.any(String)] as string[],
    ],
    [
      'a PATCH of an array',
      () =>
        service.patch(
          '/api/item',
          from.lists[0].items.slice(0, 1).map(({ id }: JsonBody) => ({ id, name: `x${id}` })),
        ),
      ['j', expect.stringMatching(/^x/)] as string[],
    ],
    [
      'a PUT by unique values',
      () =>
        service.put(
          '/api/item?by=name',
          ['i', 'k'].map((one) => ({ name: one, listId: from.lists[0].id })),
        ),
      ['i', 'j', 'k'],
    ],
    [
      'a DELETE by a filter',
      () => service.request('DELETE', '/api/item?filter[name]=i', undefined, { prefer: 'max-affected=5' }),
      ['j'],
    ],
  ]

  describe.each(writes)('%s', (_, send, left) => {
    test('asks about the owner that there is by now, and is done', async () => {
      move()
      const { status } = await send()
      expect([200, 201]).toContain(status)
      expect([...asked]).toEqual(expect.arrayContaining([`Edit board ${from.id}`, `Edit board ${to.id}`]))
      expect(await names()).toEqual(left)
    })

    test('is refused, and does nothing, if that owner may not be edited', async () => {
      move()
      refused = `Edit board ${to.id}`
      expectProblem((await send()) as never, { code: 'CRUD_ERR_FORBIDDEN' })
      refused = undefined
      expect(await names()).toEqual(['i', 'j'])
    })
  })
})
