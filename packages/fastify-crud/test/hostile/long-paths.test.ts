import { expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeServersOnDatabases } from '../../../../test/support/describe-on-databases.ts'
import { museum } from '../contract/models/museum.ts'
import { useExhibits } from './exhibits.ts'
import { refuseAll } from './refuse-all.ts'

describeServersOnDatabases('a path or an id that is too long', (database) => {
  const service = useApp(database, museum)
  const exhibits = useExhibits(service)

  test('is 404 if it is an id of up to 100 digits', async () => {
    for (const id of ['9'.repeat(16), '9'.repeat(100), `1${'0'.repeat(99)}`]) {
      await refuseAll(service, { code: 'CRUD_ERR_NOT_FOUND' }, [
        ['GET', `/api/item/${id}`],
        ['PATCH', `/api/item/${id}`, { title: 'x' }],
        ['DELETE', `/api/item/${id}`],
        ['GET', `/api/item/${id}/part/${id}/repair/${id}`],
        ['POST', `/api/item/${id}/part`, { name: 'x' }],
      ])
    }
  })

  test('is 414 by fastify itself if a segment has more than 100 characters', async () => {
    const before = await service.snapshot()
    for (const segment of ['1'.repeat(101), 'x'.repeat(50_000), '%31'.repeat(101)]) {
      for (const method of ['GET', 'PUT', 'PATCH', 'DELETE']) {
        const answer = await service.request(method, `/api/item/${segment}`)
        expect(answer).toMatchObject({ status: 414, body: { code: 'FST_ERR_MAX_PARAM_LENGTH' } })
      }
    }
    expect(await service.snapshot()).toEqual(before)
  })

  test('is 404 in few words if it names nothing', async () => {
    const { mine } = exhibits
    const paths = [
      `/api/${'x'.repeat(50_000)}`,
      `/api/${'item/'.repeat(10_000)}`,
      `/api/item/${mine.id}${`/part/${mine.parts[0].id}`.repeat(3_000)}`,
      `/api/item/${mine.id}${'/'.repeat(50_000)}`,
      `/api/item/${mine.id}/part/?`,
    ]
    const attempts = paths.flatMap((path) => [['GET', path] as const, ['DELETE', path] as const])
    const problems = await refuseAll(service, { code: 'CRUD_ERR_NOT_FOUND' }, attempts)
    for (const problem of problems) expect(JSON.stringify(problem).length).toBeLessThan(300)
  })

  test('is 400 in few words if its query has thousands of keys', async () => {
    const query = Array.from({ length: 5_000 }, (_, at) => `key${at}=1`).join('&')
    const [problem] = await refuseAll(service, { code: 'CRUD_ERR_INVALID' }, [['GET', `/api/item?${query}`]])
    expect(problem.errors).toHaveLength(1_000)
    await refuseAll(service, { code: 'CRUD_ERR_INVALID' }, [
      ['GET', `/api/item?limit=${'1'.repeat(50_000)}`],
      ['GET', `/api/item?${'limit=1&'.repeat(5_000)}`],
      ['DELETE', `/api/item/${exhibits.mine.id}?${'a'.repeat(50_000)}`],
    ])
  })
})
