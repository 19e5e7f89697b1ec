import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnDatabases } from '../../../../test/support/describe-on-databases.ts'
import { errorLog } from '../../../../test/support/error-log.ts'
import { expectProblem } from '../../../../test/support/problem.ts'
import { product } from '../contract/models/product.ts'

describeOnDatabases('a handler that does not wait for `next()`, which fails', (database) => {
  const unhandled: unknown[] = []
  const listen = (reason: unknown) => void unhandled.push(reason)
  const { fastify } = errorLog()
  const service = useApp(database, product, {
    fastify,
    plugin: {
      handlers: {
        product: {
          findOne: {
            access: { action: 'View', id: 'id' },
            handler(_request, _reply, next) {
              void next()
            },
          },
          replace: {
            access: { action: 'Edit', id: 'id' },
            async handler(_request, _reply, next) {
              void next()
              void next()
            },
          },
          patch: {
            access: { action: 'Edit', id: 'id' },
            handler(_request, reply, next) {
              void next()
              reply.send({ mine: true })
            },
          },
          delete: {
            access: { action: 'Delete', id: 'id' },
            handler(_request, _reply, next) {
              const predefined = next()
              throw new Error(`thrown beside ${String(predefined)}`)
            },
          },
        },
      },
    },
  })

  beforeAll(() => void process.on('unhandledRejection', listen))
  afterAll(() => void process.off('unhandledRejection', listen))
  beforeEach(() => void unhandled.splice(0))

  const missing = '/api/product/999999'
  const rejectionsAreHandled = async () => {
    await wait(20)
    expect(unhandled).toEqual([])
  }

  test('answers with its refusal if the handler only calls it', async () => {
    await service.refuse('GET', missing, undefined, { code: 'CRUD_ERR_NOT_FOUND' })
    await rejectionsAreHandled()
  })

  test('answers with its refusal if the handler calls it twice', async () => {
    await service.refuse('PUT', missing, { name: 'a' }, { code: 'CRUD_ERR_NOT_FOUND' })
    await rejectionsAreHandled()
  })

  test('answers what the handler sends in the meantime', async () => {
    const answer = await service.patch(missing, { name: 'a' })
    expect([answer.status, answer.body]).toEqual([200, { mine: true }])
    await rejectionsAreHandled()
  })

  test('answers 500 if the handler throws in the meantime', async () => {
    expectProblem(await service.delete(missing), { code: 'CRUD_ERR_INTERNAL' })
    await rejectionsAreHandled()
  })
})
