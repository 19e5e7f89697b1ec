import { beforeEach, describe, expect, test } from 'vitest'
import { setups } from '../../../../test/support/databases.ts'
import { expectProblem } from '../../../../test/support/problem.ts'
import { FOUR, NINE, useShop } from './shop.ts'

describe.each(setups)('Records of two tenants ($title)', (database) => {
  const shop = useShop(database)
  const { request, add } = shop
  const intern = { id: 'intern', name: 'Intern', tasks: [{ title: 'Plan' }] }

  beforeEach(async () => {
    await add(FOUR, '/api/label', { id: 'hot', name: 'Hot' })
    await add(NINE, '/api/label', { id: 'hot', name: 'Hot of Nine' })
    await add(FOUR, '/api/project', intern)
    await add(NINE, '/api/project', {
      ...intern,
      tasks: [{ title: 'Other', labels: [{ id: 'hot' }] }, { title: 'More' }],
    })
    await add(NINE, '/api/member', { email: 'nina@nine.example' })
  })

  test('have ids and unique values of their own', async () => {
    const four = await request(FOUR, 'GET', '/api/project/intern')
    expect(four.body).toMatchObject({ orgId: FOUR, name: 'Intern', tasks: [{ title: 'Plan', labels: [] }] })
    const nine = await request(NINE, 'GET', '/api/project/intern')
    expect(nine.body).toMatchObject({
      orgId: NINE,
      tasks: [{ title: 'Other', labels: [{ id: 'hot', name: 'Hot of Nine' }] }, { title: 'More' }],
    })
    const taken = await request(FOUR, 'POST', '/api/project', { id: 'other', name: 'Intern', tasks: [] })
    expectProblem(taken, { code: 'CRUD_ERR_NOT_UNIQUE' })
  })

  test('are counted, listed and computed for one of them', async () => {
    const { body } = await request(FOUR, 'GET', '/api/project?count=exact&include=tasks&fields=taskCount,memberCount')
    expect(body).toMatchObject({ count: 1, rows: [{ taskCount: 1, memberCount: 0, tasks: [{ title: 'Plan' }] }] })
    const nine = await request(NINE, 'GET', '/api/project?fields=taskCount,memberCount')
    expect(nine.body).toMatchObject({ count: 1, rows: [{ taskCount: 2, memberCount: 1 }] })
    const groups = await request(
      FOUR,
      'GET',
      '/api/project/$group?by=name&values=count(),max(taskCount),max(memberCount)',
    )
    expect(groups.body).toEqual({
      rows: [{ name: 'Intern', 'count()': 1, 'max(taskCount)': 1, 'max(memberCount)': 0 }],
      count: 1,
    })
    expect((await request(FOUR, 'GET', '/api/task/$group?by=title')).body).toMatchObject({ count: 1 })
    const members = await request(FOUR, 'GET', '/api/member')
    expect(members.body).toMatchObject({ count: 0, rows: [] })
    const filtered = await request(FOUR, 'GET', '/api/project?filter[tasks.title]=Other')
    expect(filtered.body).toMatchObject({ count: 0 })
  })

  test('name only those of the same tenant', async () => {
    const { body } = await request(NINE, 'GET', '/api/member')
    const [nina] = body.rows
    const before = await shop.service.snapshot()
    const refused = await request(FOUR, 'PATCH', '/api/project/intern', { leadId: nina.id })
    expectProblem(refused, { code: 'CRUD_ERR_UNKNOWN_REFERENCE', pointers: ['/leadId'] })
    expect(await shop.service.snapshot()).toEqual(before)
    expect((await request(NINE, 'PATCH', '/api/project/intern', { leadId: nina.id })).body).toMatchObject({
      leadId: nina.id,
    })
  })

  test('are not there for another tenant, whatever is asked', async () => {
    const { body: own } = await request(NINE, 'GET', '/api/project/intern')
    const taskId = own.tasks[0].id
    const [nina] = (await request(NINE, 'GET', '/api/member')).body.rows
    const before = await shop.service.snapshot()
    for (const [method, path, body] of [
      ['GET', `/api/project/intern/task/${taskId}`],
      ['PATCH', `/api/project/intern/task/${taskId}`, { title: 'Mine' }],
      ['PUT', `/api/project/intern/task/${taskId}`, { title: 'Mine', labels: [] }],
      ['DELETE', `/api/project/intern/task/${taskId}`],
      ['GET', `/api/member/${nina.id}`],
      ['PATCH', `/api/member/${nina.id}`, { email: 'mine@four.example' }],
      ['PUT', `/api/member/${nina.id}`, { email: 'mine@four.example' }],
      ['DELETE', `/api/member/${nina.id}`],
      ['GET', `/api/org/${NINE}`],
      ['PATCH', `/api/org/${NINE}`, { name: 'Mine' }],
      ['DELETE', `/api/org/${NINE}`],
    ] as const) {
      const answer = await request(FOUR, method, path, body)
      expect(answer.status, `${method} ${path}`).toBe(404)
    }
    expect(await shop.service.snapshot()).toEqual(before)
  })

  test('change, move and go for one tenant alone', async () => {
    const nine = async () => (await request(NINE, 'GET', '/api/project/intern')).body
    const before = await nine()
    const { body: read } = await request(FOUR, 'GET', '/api/project/intern')
    const put = {
      ...read,
      name: 'Renamed',
      tasks: [
        { ...read.tasks[0], labels: [{ id: 'hot' }] },
        { title: 'Second', labels: [] },
      ],
    }
    const changed = await request(FOUR, 'PUT', '/api/project/intern', put)
    expect(changed.status, JSON.stringify(changed.body)).toBe(200)
    expect(changed.body).toMatchObject({ name: 'Renamed', tasks: [{ labels: [{ name: 'Hot' }] }, { title: 'Second' }] })
    expect(await nine()).toEqual(before)
    expect((await request(FOUR, 'DELETE', '/api/label/hot')).status).toBe(204)
    expect((await request(FOUR, 'DELETE', '/api/project/intern')).status).toBe(204)
    expect(await nine()).toEqual(before)
    expect((await request(FOUR, 'GET', '/api/project')).body).toMatchObject({ count: 0 })
  })

  test('show their tenant, which no body sets', async () => {
    const refused = await request(FOUR, 'POST', '/api/project', { id: 'x', name: 'X', tasks: [], orgId: NINE })
    expectProblem(refused, { code: 'CRUD_ERR_INVALID', pointers: ['/orgId'] })
    const { body } = await request(FOUR, 'GET', '/api/project/intern?include=org')
    expect(body).toMatchObject({ orgId: FOUR, org: { id: FOUR, name: 'Four' } })
    expect(
      await request(FOUR, 'PUT', '/api/project/intern', (await request(FOUR, 'GET', '/api/project/intern')).body),
    ).toMatchObject({ status: 200 })
    const { body: label } = await request(FOUR, 'GET', '/api/label/hot')
    expect(label).toEqual({ id: 'hot', name: 'Hot' })
  })
})
