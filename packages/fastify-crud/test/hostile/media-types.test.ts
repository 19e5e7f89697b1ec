import { expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeServersOnDatabases } from '../../../../test/support/describe-on-databases.ts'
import { museum } from '../contract/models/museum.ts'
import { useExhibits } from './exhibits.ts'
import { refuseAllRaw } from './refuse-all.ts'
import { refuseRaw } from './refuse-raw.ts'

/** What is not `application/json`, close to it as it may be. */
const others = [
  // What a form or a script of another site may send without being asked first (CORS).
  'text/plain',
  'text/plain; x=application/json',
  'text/plain;application/json',
  'text/plain, application/json',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=application/json',
  '*/*',
  'application/*',
  'application/jsonp',
  'application/json5',
  'application/json-seq',
  'application/json+x',
  'application/vnd.api+json',
  'application/merge-patch+json',
  'application/problem+json',
  'application/json/x',
  'application/json, text/plain',
  'application/json text/plain',
  'application/json\\',
  '"application/json"',
  "'application/json'",
  'application/ json',
  'application /json',
  'application\\json',
  'application%2Fjson',
  'x-application/json',
  'text/json',
  'json',
  ';application/json',
  ',application/json',
  '__proto__',
  'constructor',
  `${'a'.repeat(8_000)}/json`,
  // Spaces to JavaScript, but not to HTTP.
  'application/json\u00a0',
  '\u00a0application/json',
  'application/json\u000b',
  '\u000capplication/json; charset=utf-8',
]

describeServersOnDatabases('a crafted media type', (database) => {
  const service = useApp(database, museum)
  const exhibits = useExhibits(service)

  test('is 415, and nothing is stored', async () => {
    for (const type of others) {
      const path = `/api/item/${exhibits.mine.id}`
      const attempts = [
        ['POST', '/api/topic', '{"word":"x"}'],
        ['PUT', '/api/topic', `{"id":${exhibits.topic.id},"word":"x"}`],
        ['PATCH', path, '{"title":"x"}'],
        ['DELETE', path, '{}'],
      ] as const
      const problems = await refuseAllRaw(service, { code: 'CRUD_ERR_BODY', status: 415 }, attempts, type)
      expect(JSON.stringify(problems).length).toBeLessThan(2_000)
    }
  })

  for (const type of [
    'application/json\t',
    '\t application/json ',
    'application/json \t; charset=utf-8',
    'APPLICATION/JSON',
  ]) {
    test(`is JSON with the spaces that HTTP allows, and in any case: ${JSON.stringify(type)}`, async () => {
      expect((await service.raw('POST', '/api/topic', '{"word":"x"}', type)).status).toBe(201)
      await refuseRaw(service, 'POST', '/api/topic', '{"word":1}', { code: 'CRUD_ERR_INVALID' }, type)
    })
  }
})
