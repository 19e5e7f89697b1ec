import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import { errorLog } from '../../../../test/support/error-log.ts'
import { expectProblem } from '../../../../test/support/problem.ts'
import { product } from '../contract/models/product.ts'

describeOnBoth('a handler whose `next()` fails', (database) => {
  const unhandled: unknown[] = []
  const listen = (reason: unknown) => void unhandled.push(reason)
  const { fastify, lines } = errorLog()
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
          create: {
            access: { action: 'Add' },
            async handler(_request, reply, next) {
              await next()
              reply.header('x-mine', 'yes')
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

  test('answers with its refusal if the handler waits for it, and logs no error', async () => {
    const before = lines.length
    await service.refuse('POST', '/api/product', { nmae: 'a' }, { code: 'CRUD_ERR_INVALID' })
    expect(lines.slice(before)).toEqual([])
  })

  test('answers what the handler sends in the meantime, and logs the error', async () => {
    const before = lines.length
    const answer = await service.patch(missing, { name: 'a' })
    expect([answer.status, answer.body]).toEqual([200, { mine: true }])
    await expect.poll(() => lines.slice(before)).toEqual([expect.stringContaining('the predefined endpoint failed')])
    await rejectionsAreHandled()
  })

  test('answers 500 if the handler throws in the meantime', async () => {
    expectProblem(await service.delete(missing), { code: 'CRUD_ERR_INTERNAL' })
    await rejectionsAreHandled()
  })
})
