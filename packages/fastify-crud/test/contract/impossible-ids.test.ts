import { beforeEach, expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import { withIntegerIds } from '../../../../test/support/test-ids.ts'
import { threeLevels } from './models/three-levels.ts'

const BEYOND = '9007199254740993'

describeOnBoth('an integer in a path that no record can have', (database) => {
  const asked = { ids: new Set<unknown>(), origins: new Set<unknown>() }
  const service = useApp(database, withIntegerIds(threeLevels), {
    fastify: { routerOptions: { maxParamLength: 500 } },
    plugin: {
      authorize: (_request, { id, origin }) => {
        asked.ids.add(id)
        asked.origins.add(origin.id)
        return true
      },
      handlers: {
        b: {
          findOne: {
            access: { action: 'View', id: 'a_id' },
            handler: async (_request, _reply, next) => void (await next()),
          },
        },
      },
    },
  })
  beforeEach(() => {
    asked.ids.clear()
    asked.origins.clear()
  })

  test.each([BEYOND, `-${BEYOND}`])('is 404 and named as the path has it: %s', async (id) => {
    const detail = new RegExp(`^there is no a ${id}$`)
    for (const method of ['GET', 'DELETE', 'PATCH']) {
      const body = method === 'PATCH' ? { name: 'n' } : undefined
      await service.refuse(method, `/api/a/${id}`, body, { code: 'CRUD_ERR_NOT_FOUND', detail })
      await service.refuse(method, `/api/a/${id}/b/1`, body, { code: 'CRUD_ERR_NOT_FOUND', detail })
    }
  })

  test('is named in short if it has many digits', async () => {
    const detail = /^there is no a 9{100}…$/
    await service.refuse('GET', `/api/a/${'9'.repeat(400)}`, undefined, { code: 'CRUD_ERR_NOT_FOUND', detail })
  })

  test('cannot be chosen: 400', async () => {
    await service.refuse('POST', `/api/a/${BEYOND}`, { name: 'n' }, { code: 'CRUD_ERR_INVALID' })
  })

  test.each([
    [`/api/a/${BEYOND}`, [undefined], [undefined]],
    ['/api/a/7', [7, undefined], [7]],
    [`/api/a/${BEYOND}/b/1`, [undefined, 1], [1]],
  ])('is undefined for `authorize`, which could take it for that of another record: %s', async (path, ids, origins) => {
    expect((await service.get(path)).status).toBe(404)
    expect([[...asked.ids], [...asked.origins]]).toEqual([ids, origins])
  })
})
