import type { Model } from '@fastify-crud/core'
import { expect, test } from 'vitest'
import { type TestApp, useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import { updatesIn } from '../../../../test/support/statement-log.ts'
import { category } from './models/category.ts'
import { knowsItself, knowsMany, knowsOne } from './models/knows.ts'
import { needsMany, needsManyExclusive } from './models/needs-many.ts'
import { needsOne, needsOneUnique } from './models/needs-one.ts'
import { ownsMany } from './models/owns-many.ts'
import { ownsOne, ownsOneRequired } from './models/owns-one.ts'
import { personAddress } from './models/person-address.ts'
import { product } from './models/product.ts'
import { threeLevels } from './models/three-levels.ts'

/** Stores a record with everything that its model has, and returns its path. */
type Fill = (service: TestApp) => Promise<string>

const fillOf = (path: string, body: (service: TestApp) => Promise<unknown> | unknown): Fill => {
  return async (service) => `${path}/${(await service.add(path, await body(service))).id}`
}
const idOf = async (service: TestApp, path: string, body: unknown) => (await service.add(path, body)).id

const models: [string, Model, Fill][] = [
  ['plain', product, fillOf('/api/product', () => ({ name: 'a', price: 0.1, note: null }))],
  [
    'owns.one',
    ownsOne,
    fillOf('/api/parent', () => ({ name: 'a', child: { nick: 'x' }, badge: { label: 'l', color: '' } })),
  ],
  ['owns.one, none there', ownsOne, fillOf('/api/parent', () => ({ name: 'a' }))],
  ['owns.one, required', ownsOneRequired, fillOf('/api/parent', () => ({ name: 'a', child: { nick: 'x' } }))],
  [
    'owns.many',
    ownsMany,
    fillOf('/api/parent', () => ({
      name: 'a',
      children: [
        { name: '1', note: 'n' },
        { name: '2', grade: 0 },
      ],
    })),
  ],
  [
    'a tree of one resource',
    category,
    fillOf('/api/category', () => ({ name: 'a', categories: [{ name: 'b', categories: [{ name: 'c' }] }] })),
  ],
  [
    'two owners',
    personAddress,
    fillOf('/api/person', () => ({ name: 'a', homes: [{ street: 'h' }], works: [{ street: 'w' }] })),
  ],
  [
    'three levels',
    threeLevels,
    fillOf('/api/a', async (service) => ({
      name: 'a',
      bs: [{ name: 'b', cs: [{ name: 'c' }] }],
      only: {
        name: 'o',
        leaves: [
          {
            name: 'l',
            kindId: await idOf(service, '/api/kind', { name: 'k' }),
            tags: [{ id: await idOf(service, '/api/tag', { name: 't' }) }],
          },
        ],
      },
    })),
  ],
  [
    'needs.one',
    needsOne,
    fillOf('/api/child', async (service) => ({
      name: 'a',
      parentId: await idOf(service, '/api/parent', { name: 'p' }),
    })),
  ],
  [
    'needs.one, unique',
    needsOneUnique,
    fillOf('/api/child', async (service) => ({
      name: 'a',
      parentId: await idOf(service, '/api/parent', { name: 'p' }),
    })),
  ],
  ...[needsMany, needsManyExclusive].map((model, index): [string, Model, Fill] => [
    index === 0 ? 'needs.many' : 'needs.many, exclusive',
    model,
    fillOf('/api/child', async (service) => ({
      name: 'a',
      parents: [
        { id: await idOf(service, '/api/parent', { name: 'p' }) },
        { id: await idOf(service, '/api/parent', { name: 'q' }) },
      ],
    })),
  ]),
  [
    'knows.one',
    knowsOne,
    fillOf('/api/a', async (service) => ({ name: 'a', bId: await idOf(service, '/api/b', { name: 'b' }) })),
  ],
  [
    'knows.many',
    knowsMany,
    fillOf('/api/a', async (service) => ({ name: 'a', bs: [{ id: await idOf(service, '/api/b', { name: 'b' }) }] })),
  ],
  [
    'knows its own kind',
    knowsItself,
    fillOf('/api/person', async (service) => {
      const id = await idOf(service, '/api/person', { name: 'b' })
      return { name: 'a', friendId: id, fellows: [{ id }] }
    }),
  ],
]

for (const [name, model, fill] of models) {
  describeOnBoth(`${name}: PUT of what GET returned`, (database) => {
    const service = useApp(database, model)

    test('changes nothing and runs no UPDATE', async () => {
      const path = await fill(service)
      const record = await service.read(path)
      const before = await service.snapshot()
      const statements = await service.statements(async () => {
        const answer = await service.put(path, record)
        expect(answer.status).toBe(200)
        expect(answer.body).toEqual(record)
      })
      expect(updatesIn(statements)).toEqual([])
      expect(await service.snapshot()).toEqual(before)
    })

    test('nor does PATCH', async () => {
      const path = await fill(service)
      const record = await service.read(path)
      const before = await service.snapshot()
      for (const body of [record, {}]) {
        const statements = await service.statements(async () => {
          const answer = await service.patch(path, body)
          expect(answer.status).toBe(200)
          expect(answer.body).toEqual(record)
        })
        expect(updatesIn(statements)).toEqual([])
      }
      expect(await service.snapshot()).toEqual(before)
    })
  })
}
