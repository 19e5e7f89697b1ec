import { afterEach, expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeServersOnDatabases } from '../../../../test/support/describe-on-databases.ts'
import { museum } from '../contract/models/museum.ts'
import { type Exhibits, useExhibits } from './exhibits.ts'
import { type RawAttempt, refuseAll, refuseAllRaw } from './refuse-all.ts'

/** Names that every object has, or that JavaScript looks for. */
const inherited = [
  'constructor',
  'prototype',
  'toString',
  'valueOf',
  'hasOwnProperty',
  'isPrototypeOf',
  '__defineGetter__',
  '__lookupSetter__',
  'toJSON',
  'then',
  'length',
  'name ',
]

const poisons = [
  '"__proto__":{"zq":1}',
  '"\\u005f_proto__":{"zq":1}',
  '"__proto__":null',
  '"constructor":{"prototype":{"zq":1}}',
  '"constr\\u0075ctor":{"prototype":{"zq":1}}',
]

/** Bodies of a PATCH of an item with a key at every depth; `%` is that key and its value. */
const places = [
  '{%}',
  '{"label":{%}}',
  '{"parts":[{%}]}',
  '{"parts":[{"name":"p","repairs":[{%}]}]}',
  '{"donor":{%}}',
  '{"experts":[{%}]}',
]
const inField = ['{"extra":{%}}', '{"extra":[[{"a":{%}}]]}', '{"size":{"unit":"cm",%}}', '{"counts":{%}}']

function patches({ mine }: Exhibits, bodies: readonly string[], property: string): RawAttempt[] {
  return bodies.map((body) => ['PATCH', `/api/item/${mine.id}`, body.replace('%', property)])
}

function expectCleanPrototypes(): void {
  for (const one of [{}, [], '', 0, () => {}]) expect((one as { zq?: unknown }).zq).toBeUndefined()
}

describeServersOnDatabases('the keys that change prototypes', (database) => {
  const service = useApp(database, museum)
  const exhibits = useExhibits(service)
  afterEach(expectCleanPrototypes)

  test('are refused at every depth, in JSON fields too', async () => {
    for (const poison of poisons) {
      await refuseAllRaw(service, { code: 'CRUD_ERR_INVALID' }, patches(exhibits, [...places, ...inField], poison))
    }
  })
})

describeServersOnDatabases('an application that lets `__proto__` and `constructor` through', (database) => {
  const service = useApp(database, museum, {
    fastify: { onProtoPoisoning: 'ignore', onConstructorPoisoning: 'ignore' },
  })
  const exhibits = useExhibits(service)
  afterEach(expectCleanPrototypes)

  test('has them refused as unknown properties', async () => {
    for (const poison of poisons) {
      const problems = await refuseAllRaw(service, { code: 'CRUD_ERR_INVALID' }, patches(exhibits, places, poison))
      for (const { errors } of problems) expect(JSON.stringify(errors)).toMatch(/__proto__|constructor/)
    }
  })

  test('has them kept as data in a JSON field', async () => {
    const path = `/api/item/${exhibits.mine.id}`
    for (const poison of poisons) {
      const extra = `{"a":{${poison}}}`
      const { status } = await service.raw('PATCH', path, `{"extra":${extra}}`)
      expect(status).toBe(200)
      const read = await service.fastify.inject({ method: 'GET', url: path })
      const { a } = JSON.parse(read.payload).extra
      expect(Object.entries(a)).toEqual(Object.entries(JSON.parse(extra).a))
    }
  })
})

describeServersOnDatabases('a name that every object has', (database) => {
  const service = useApp(database, museum)
  const exhibits = useExhibits(service)

  test('is an unknown property at every depth', async () => {
    for (const name of inherited) {
      const attempts = patches(exhibits, places, `${JSON.stringify(name)}:1`)
      const problems = await refuseAllRaw(service, { code: 'CRUD_ERR_INVALID' }, attempts)
      for (const { errors } of problems) expect(JSON.stringify(errors)).toContain(name)
    }
  })

  test('is data in a JSON field', async () => {
    for (const name of inherited) {
      const path = `/api/item/${exhibits.mine.id}`
      for (const value of [1, null, { [name]: 'x' }]) {
        const answer = await service.patch(path, { extra: { [name]: value } })
        expect([answer.status, answer.body.extra]).toEqual([200, { [name]: value }])
      }
    }
  })

  test('is no resource, no id and no query parameter', async () => {
    for (const name of inherited) {
      const text = encodeURIComponent(name)
      const path = `/api/item/${exhibits.mine.id}`
      await refuseAll(service, { code: 'CRUD_ERR_NOT_FOUND' }, [
        ['GET', `/api/${text}`],
        ['GET', `${path}/${text}`],
      ])
      await refuseAll(service, { code: 'CRUD_ERR_INVALID' }, [
        ['GET', `/api/item/${text}`],
        ['DELETE', `${path}/part/${text}`],
        ['GET', `/api/item?${text}=1`],
        ['GET', `/api/item?limit[${text}]=1`],
      ])
    }
  })
})

describeServersOnDatabases('an application whose query strings become objects', (database) => {
  const nested = (text: string) => ({ limit: { $gt: text }, offset: ['0'], ...JSON.parse('{"__proto__":{"zq":1}}') })
  const service = useApp(database, museum, { fastify: { routerOptions: { querystringParser: nested } } })

  test('has them refused', async () => {
    await service.refuse('GET', '/api/item?x', undefined, { code: 'CRUD_ERR_INVALID', detail: /'x'/ })
    await service.refuse('POST', '/api/topic?x', { word: 'x' }, { code: 'CRUD_ERR_INVALID' })
    expectCleanPrototypes()
  })
})
