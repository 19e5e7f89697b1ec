import { expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeServersOnDatabases } from '../../../../test/support/describe-on-databases.ts'
import { museum } from '../contract/models/museum.ts'
import { useExhibits } from './exhibits.ts'
import { type RawAttempt, refuseAll, refuseAllRaw } from './refuse-all.ts'
import { refuseRaw } from './refuse-raw.ts'

/** As they stand in JSON: no database can store them. */
const noText = ['\\u0000', 'a\\u0000b', '\\ud800', '\\udc00', '\\udc00\\ud800', '\\ud83d \\ude00']

describeServersOnDatabases('U+0000 or a lone surrogate', (database) => {
  const service = useApp(database, museum)
  const exhibits = useExhibits(service)

  test('is 400 in every value and in every key', async () => {
    for (const text of noText) {
      const [lid] = exhibits.mine.parts
      const attempts: RawAttempt[] = []
      const pointers: string[] = []
      for (const [body, pointer] of [
        [`{"title":"${text}"}`, '/title'],
        [`{"label":{"text":"${text}"}}`, '/label/text'],
        [`{"parts":[{"id":${lid.id},"note":"${text}"}]}`, '/parts/0/note'],
        [
          `{"parts":[{"id":${lid.id},"repairs":[{"id":${lid.repairs[0].id},"what":"${text}"}]}]}`,
          '/parts/0/repairs/0/what',
        ],
        [`{"size":{"unit":"${text}"}}`, '/size'],
        [`{"counts":{"${text}":[]}}`, '/counts'],
        [`{"extra":["${text}"]}`, '/extra'],
        [`{"extra":{"a":{"${text}":1}}}`, '/extra'],
        [`{"state":"whole${text}"}`, '/state'],
        [`{"code":"A1${text}"}`, '/code'],
        [`{"worth":"1.5${text}"}`, '/worth'],
        [`{"foundOn":"2026-01-01${text}"}`, '/foundOn'],
        [`{"seenAt":"2026-01-01T00:00:00Z${text}"}`, '/seenAt'],
      ] as const) {
        attempts.push(['PATCH', `/api/item/${exhibits.mine.id}`, body])
        pointers.push(pointer)
      }
      const problems = await refuseAllRaw(service, { code: 'CRUD_ERR_INVALID' }, attempts)
      expect(problems.map(({ errors }) => errors[0].pointer)).toEqual(pointers)
    }
  })

  test('is 400 as the name of a property, and the answer is well-formed JSON', async () => {
    for (const text of noText) {
      for (const body of [`{"${text}":1}`, `{"title${text}":"x"}`, `{"parts":[{"name${text}":1}]}`]) {
        const path = `/api/item/${exhibits.mine.id}`
        await refuseRaw(service, 'PATCH', path, body, { code: 'CRUD_ERR_INVALID' })
        const headers = { 'content-type': 'application/json' }
        const { rawPayload } = await service.fastify.inject({ method: 'PATCH', url: path, headers, payload: body })
        expect(() => new TextDecoder('utf-8', { fatal: true }).decode(rawPayload)).not.toThrow()
      }
    }
  })

  test('is 400 in a path and in a query, encoded', async () => {
    const path = `/api/item/${exhibits.mine.id}`
    await refuseAll(service, { code: 'CRUD_ERR_INVALID' }, [
      ['GET', '/api/item/%00'],
      ['GET', `${path}%00`],
      ['DELETE', `${path}%00`],
      ['GET', '/api/item?limit=1%00'],
      ['GET', '/api/item?%00=1'],
      ['DELETE', `${path}?%00`],
      ['DELETE', `${path}?%ed%a0%80`],
    ])
    await refuseAll(service, { code: 'CRUD_ERR_NOT_FOUND' }, [
      ['GET', '/api/%00'],
      ['GET', '/api/item%00'],
    ])
  })
})

describeServersOnDatabases('bytes that are no UTF-8', (database) => {
  const service = useApp(database, museum)
  const exhibits = useExhibits(service)
  const broken = [[0xff], [0xe4], [0xc0, 0xaf], [0xed, 0xa0, 0x80], [0xf4, 0x90, 0x80, 0x80], [0xe2, 0x82]]

  test('are 400 in a body, wherever they stand', async () => {
    for (const bytes of broken) {
      for (const [before, after] of [
        ['{"parts":[{"name":"', '"}]}'],
        ['{"extra":{"', '":1}}'],
        ['{"', '":1}'],
        ['{"title":"x"} ', ''],
        ['', '{"title":"x"}'],
      ] as const) {
        const body = Buffer.concat([Buffer.from(before), Buffer.from(bytes), Buffer.from(after)])
        const refused = { code: 'CRUD_ERR_INVALID', detail: /^the body is not UTF-8$/ } as const
        await refuseRaw(service, 'PATCH', `/api/item/${exhibits.mine.id}`, body, refused)
      }
    }
  })

  test('are 400 in a path, by fastify itself', async () => {
    const before = await service.snapshot()
    for (const bytes of ['%ff', '%e4', '%c0%af', '%ed%a0%80', '%e2%82', '%', '%1', '%zz']) {
      for (const path of [`/api/item/${bytes}`, `/api/item/${exhibits.mine.id}/part/${bytes}`, `/api/${bytes}`]) {
        for (const method of ['GET', 'DELETE']) {
          const answer = await service.request(method, path)
          expect(answer).toMatchObject({ status: 400, body: { code: 'FST_ERR_BAD_URL' } })
        }
      }
    }
    expect(await service.snapshot()).toEqual(before)
  })

  test('are 400 in a query', async () => {
    const path = `/api/item/${exhibits.mine.id}`
    await refuseAll(service, { code: 'CRUD_ERR_INVALID' }, [
      ['GET', '/api/item?limit=%ff'],
      ['GET', '/api/item?%ff=1'],
      ['GET', '/api/item?limit=1%zz'],
      ['DELETE', `${path}?%c0%af`],
      ['DELETE', `${path}?%`],
    ])
  })
})

describeServersOnDatabases('a byte order mark', (database) => {
  const service = useApp(database, museum)
  const exhibits = useExhibits(service)

  test('is passed over at the start of a body, and nowhere else', async () => {
    const path = `/api/item/${exhibits.mine.id}`
    expect((await service.raw('PATCH', path, '\ufeff{"title":"x"}')).body.title).toBe('x')
    for (const body of [
      '\ufeff\ufeff{"title":"y"}',
      '{\ufeff"title":"y"}',
      '{"title":"y"}\ufeff',
      '{"\ufefftitle":"y"}',
    ]) {
      await refuseRaw(service, 'PATCH', path, body, { code: 'CRUD_ERR_INVALID' })
    }
    expect((await service.patch(path, { title: '\ufeff' })).body.title).toBe('\ufeff')
  })
})
