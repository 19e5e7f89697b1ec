import { Readable } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import { product } from './models/product.ts'

describeOnBoth('A handler may answer with what takes a while', (database) => {
  const service = useApp(database, product, {
    before: (app) => {
      app.addHook('onSend', async (request) => {
        if (request.headers['x-wait'] !== undefined) await wait(10)
      })
    },
    plugin: {
      handlers: {
        product: {
          list: {
            access: { action: 'View' },
            async handler(_request, reply, next) {
              const { count } = await next()
              // Nothing is awaited, and nothing returned.
              reply.header('content-type', 'text/plain').send(Readable.from([`${count}`, ' in all']))
            },
          },
          create: {
            access: { action: 'Add' },
            handler(_request, reply) {
              reply.code(202).send({ queued: true })
            },
          },
        },
      },
    },
  })

  test('such as a stream', async () => {
    expect(await service.get('/api/product')).toMatchObject({ status: 200, body: '0 in all' })
  })

  test('also where a hook of the application waits before an answer is sent', async () => {
    const headers = { 'x-wait': 'yes' }
    const answer = await service.request('POST', '/api/product', {}, headers)
    expect(answer).toMatchObject({ status: 202, body: { queued: true } })
    expect(await service.request('GET', '/api/product', undefined, headers)).toMatchObject({ body: '0 in all' })
  })
})
