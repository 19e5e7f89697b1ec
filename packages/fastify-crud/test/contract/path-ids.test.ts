import { expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import { missingId, noIdInPath } from '../../../../test/support/test-ids.ts'
import { threeLevels } from './models/three-levels.ts'

describeOnBoth('ids in a path that are not ids', (database) => {
  const service = useApp(database, threeLevels)

  test('are all named in one 400', async () => {
    const problem = await service.refuse('GET', `/api/a/${noIdInPath}/b/${missingId('b')}/c/${noIdInPath}`, undefined, {
      code: 'CRUD_ERR_INVALID',
    })
    expect(problem.errors.map((error: { message: string }) => error.message)).toEqual([
      expect.stringMatching(/^the a_id in the path must be an id/),
      expect.stringMatching(/^the id in the path must be an id/),
    ])
  })
})

describeOnBoth('an id in a path that is not an id', (database) => {
  let asked = 0
  const authorize = () => {
    asked += 1
    return false
  }
  const service = useApp(database, threeLevels, {
    plugin: {
      authorize,
      handlers: { only: { create: { access: { action: 'Add' }, handler: (_request, reply) => void reply.send({}) } } },
    },
  })

  test('is 400 before `authorize` is asked', async () => {
    asked = 0
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']) {
      const body = method === 'GET' || method === 'DELETE' ? undefined : { name: 'a' }
      for (const path of [
        `/api/a/${noIdInPath}`,
        `/api/a/${noIdInPath}/b/${missingId('b')}`,
        `/api/a/${missingId('a')}/b/${noIdInPath}`,
        `/api/a/${missingId('a')}/only/${noIdInPath}`,
      ]) {
        await service.refuse(method, path, body, { code: 'CRUD_ERR_INVALID' })
      }
    }
    expect(asked).toBe(0)
  })
})
