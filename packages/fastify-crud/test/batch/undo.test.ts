import { Type } from '@sinclair/typebox'
import { defineResources } from 'fastify-crud'
import { expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../test/support/json-body.ts'

const resources = defineResources({ list: { fields: { title: Type.String() }, history: true } })

describeOnBoth('An undo in a batch', (database) => {
  const service = useApp(database, resources, { plugin: { batch: true } })

  test('is done with the other requests, whatever the order of their records', async () => {
    const lists: JsonBody[] = []
    for (const title of ['a', 'b']) lists.push(await service.add('/api/list', { title }))
    const [one, other] = lists.map(({ id }) => `/list/${id}`) as [string, string]
    await service.patch(`/api${one}`, { title: 'c' })
    await service.patch(`/api${other}`, { title: 'd' })
    const lastOf = async (path: string) => (await service.read(`/api${path}/$history`)).rows[0].write
    const [write, another] = [await lastOf(one), await lastOf(other)]
    const batch = (requests: readonly JsonBody[]) => service.request('POST', '/api/$batch', { requests })
    const undo = (path: string, id: string) => ({ method: 'POST', path: `${path}/$history/${id}/$undo` })
    const answers = await Promise.all([
      batch([undo(one, write), { method: 'PATCH', path: other, body: { title: 'e' } }]),
      batch([
        { method: 'PATCH', path: other, body: { title: 'e' } },
        { method: 'GET', path: one },
      ]),
    ])
    expect(answers.map(({ status }) => status)).toEqual([200, 200])
    expect((await service.read('/api/list?sort=id')).rows.map(({ title }: JsonBody) => title)).toEqual(['a', 'e'])
    const late = await batch([undo(one, write), undo(other, another)])
    expect(late).toMatchObject({ status: 409, body: { code: 'CRUD_ERR_CHANGED' } })
  })
})
