import { expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeServersOnDatabases } from '../../../../test/support/describe-on-databases.ts'
import { museum } from '../contract/models/museum.ts'
import { bodiesOf, useExhibits } from './exhibits.ts'

let allowed: readonly string[] = ['*']

describeServersOnDatabases('somebody who may not look is told by a refusal', (database) => {
  const service = useApp(database, museum, {
    plugin: {
      authorize: (_request, { action, resource }) => allowed[0] === '*' || allowed.includes(`${action} ${resource}`),
    },
  })
  const exhibits = useExhibits(service)

  /** From here on, no more than that is allowed in this test. */
  async function withRights(rights: readonly string[], run: () => Promise<void>): Promise<void> {
    allowed = rights
    try {
      await run()
    } finally {
      allowed = ['*']
    }
  }

  test('that a unique value is taken, and not by which record', async () => {
    const { donor } = exhibits
    await withRights(['Add donor'], async () => {
      await service.refuse('GET', '/api/donor', undefined, { code: 'CRUD_ERR_FORBIDDEN' })
      const taken = { code: 'CRUD_ERR_NOT_UNIQUE', pointers: ['/name'] } as const
      const problem = await service.refuse('POST', '/api/donor', { name: donor.name }, taken)
      expect(JSON.stringify(problem)).not.toMatch(new RegExp(`\\b${donor.id}\\b`))
    })
  })

  test('that a write-only value is taken, and not by which record', async () => {
    const { mine, donor, expert } = exhibits
    await service.patch(`/api/item/${mine.id}`, { safe: 'box 7' })
    await withRights(['Add item', 'View donor', 'View expert'], async () => {
      const body = { title: 'Cup', donorId: donor.id, experts: [{ id: expert.id }], safe: 'box 7' }
      const taken = { code: 'CRUD_ERR_NOT_UNIQUE', pointers: ['/safe'] } as const
      const problem = await service.refuse('POST', '/api/item', body, taken)
      expect(JSON.stringify(problem)).not.toMatch(new RegExp(`\\b${mine.id}\\b|box 7`))
    })
  })

  test('that an id is taken where a new record is to have it', async () => {
    const { topic } = exhibits
    await withRights(['Add topic'], async () => {
      await service.refuse('POST', `/api/topic/${topic.id}`, { word: 'x' }, { code: 'CRUD_ERR_EXISTS' })
    })
  })

  test('nothing about a record that a body names', async () => {
    const { donor } = exhibits
    const { item } = bodiesOf(exhibits)
    await withRights(['Add item', 'View item', 'View expert'], async () => {
      for (const id of [donor.id, 999_999]) {
        const unknown = { code: 'CRUD_ERR_UNKNOWN_REFERENCE', pointers: ['/donorId'] } as const
        const { errors } = await service.refuse('POST', '/api/item', { ...item, donorId: id }, unknown)
        expect(errors).toMatchObject([{ pointer: '/donorId', message: `there is no donor ${id}` }])
      }
    })
  })

  test('that a record is still needed, and by what only if that may be seen', async () => {
    const { donor } = exhibits
    const path = `/api/donor/${donor.id}`
    await withRights(['Delete donor'], async () => {
      const problem = await service.refuse('DELETE', path, undefined, { code: 'CRUD_ERR_STILL_NEEDED', pointers: [] })
      expect(problem.detail).toBe('it is still needed')
    })
    await withRights(['Delete donor', 'View item'], async () => {
      const needed = { code: 'CRUD_ERR_STILL_NEEDED', detail: /still needed by 2 item records/ } as const
      const problem = await service.refuse('DELETE', path, undefined, needed)
      expect(JSON.stringify(problem)).not.toContain(exhibits.mine.title)
    })
  })
})
