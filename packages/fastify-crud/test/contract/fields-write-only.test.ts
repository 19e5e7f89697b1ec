import { createStore } from 'fastify-crud'
import { expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import { updatesIn } from '../../../../test/support/statement-log.ts'
import { anyId, clientGivesIds, withGivenId, withTestIds } from '../../../../test/support/test-ids.ts'
import { members } from './models/members.ts'

describeOnBoth('a field that is `writeOnly`', (database) => {
  const service = useApp(database, members)

  async function addTeam() {
    const member = (name: string) => ({
      name,
      secret: `of ${name}`,
      hint: 'given',
      badges: [{ title: 'b', secret: 'of b' }],
    })
    const captain = { name: 'c', secret: 'of c' }
    return await service.add('/api/team', { name: 't', members: [member('m'), member('n')], captain })
  }

  /** What is stored of it, by table. */
  async function stored() {
    const of = async (table: string, columns: readonly string[]) =>
      (
        await service.db
          .selectFrom(table)
          .select([...columns])
          .orderBy('id')
          .execute()
      ).map((row) => Object.values(row))
    return {
      members: await of('member', ['secret', 'hint']),
      badges: await of('badge', ['secret']),
      captains: await of('captain', ['secret']),
    }
  }

  const asAdded = {
    members: [
      ['of m', 'given'],
      ['of n', 'given'],
    ],
    badges: [['of b'], ['of b']],
    captains: [['of c']],
  }

  test('is stored, and not in an answer', async () => {
    const team = await addTeam()
    const badge = { id: anyId, title: 'b', rank: 'new' }
    const shown = { rank: 'new', number: null, notes: null, badges: [badge] }
    const expected = {
      id: team.id,
      name: 't',
      members: [
        { id: team.members[0].id, name: 'm', ...shown },
        { id: team.members[1].id, name: 'n', ...shown },
      ],
      captain: { id: team.captain.id, name: 'c', rank: 'new' },
    }
    expect(team).toEqual(expected)
    expect(await service.read(`/api/team/${team.id}`)).toEqual(expected)
    expect(await service.read('/api/team')).toEqual({ rows: [expected], count: 1 })
    expect(await service.read(`/api/team/${team.id}/member`)).toEqual({ rows: expected.members, count: 2 })
    expect(await service.read(`/api/team/${team.id}/captain/${team.captain.id}`)).toEqual(expected.captain)
    expect(await stored()).toEqual(asAdded)
  })

  test('is required in a new record, at every depth, and has its default', async () => {
    const team = { name: 't', members: [{ name: 'm' }], captain: { name: 'c' } }
    const pointers = ['/members/0/secret', '/captain/secret']
    await service.refuse('POST', '/api/team', team, { code: 'CRUD_ERR_INVALID', pointers })
    const { id } = await addTeam()
    await service.refuse(
      'POST',
      `/api/team/${id}/member`,
      { name: 'o' },
      { code: 'CRUD_ERR_INVALID', pointers: ['/secret'] },
    )
    await service.add(`/api/team/${id}/member`, { name: 'o', secret: 'of o' })
    expect((await stored()).members.at(-1)).toEqual(['of o', 'none'])
  })

  test('stays as it is in a PUT that leaves it out, at every depth', async () => {
    const team = await addTeam()
    const { id } = team
    const [member] = team.members
    const renamed = team.members.map((one: object) => ({ ...one, name: 'other' }))
    const put = await service.put(`/api/team/${id}`, { ...team, name: 'u', members: renamed, captain: { name: 'd' } })
    expect(put).toMatchObject({ status: 200, body: { name: 'u', captain: { id: team.captain.id, name: 'd' } } })
    const path = `/api/team/${id}/member/${member.id}`
    expect((await service.put(path, { name: 'third', badges: member.badges })).status).toBe(200)
    expect((await service.put(`${path}/badge/${member.badges[0].id}`, { title: 'c' })).status).toBe(200)
    expect(await stored()).toEqual(asAdded)
  })

  test('is required where a PUT creates a record', async () => {
    const { id } = await service.add('/api/team', { name: 't' })
    const body = { name: 't', members: [{ name: 'm' }], captain: { name: 'c' } }
    // Where clients give ids, only the record tells which of those in the body are new: then all are told at once.
    const pointers = ['/members/0/secret', ...(clientGivesIds ? ['/captain/secret'] : [])]
    await service.refuse('PUT', `/api/team/${id}`, body, { code: 'CRUD_ERR_INVALID', pointers })
    const captain = { name: 't', captain: { name: 'c' } }
    await service.refuse('PUT', `/api/team/${id}`, captain, { code: 'CRUD_ERR_INVALID', pointers: ['/captain/secret'] })
  })

  test('is set by PUT and PATCH, at every depth, also where nothing else changes', async () => {
    const team = await addTeam()
    const { id } = team
    const [{ id: memberId, badges }] = team.members
    const path = `/api/team/${id}/member/${memberId}`
    const put = { ...team, members: team.members.map((one: object) => ({ ...one, secret: 'put' })) }
    expect(await service.put(`/api/team/${id}`, put)).toMatchObject({ status: 200, body: team })
    expect((await stored()).members).toEqual([
      ['put', 'given'],
      ['put', 'given'],
    ])
    const patched = { members: [{ id: memberId, hint: null, badges: [{ id: badges[0].id, secret: 'patched' }] }] }
    expect(await service.patch(`/api/team/${id}`, patched)).toMatchObject({ status: 200, body: team })
    expect(await service.patch(path, { secret: 'blindly' })).toMatchObject({ status: 200, body: team.members[0] })
    expect(await service.patch(path, { secret: 'blindly' })).toMatchObject({ status: 200, body: team.members[0] })
    expect(await service.put(`${path}/badge/${badges[0].id}`, { title: 'b', secret: null })).toMatchObject({
      status: 200,
    })
    expect(await stored()).toMatchObject({
      members: [
        ['blindly', null],
        ['put', 'given'],
      ],
      badges: [[null], ['of b']],
    })
  })

  test('is checked as any other', async () => {
    const { id, members } = await addTeam()
    const path = `/api/team/${id}/member/${members[0].id}`
    for (const [method, body] of [
      ['PATCH', { secret: null, hint: 5 }],
      ['PUT', { name: 'm', secret: null, hint: 5 }],
    ] as const) {
      await service.refuse(method, path, body, { code: 'CRUD_ERR_INVALID', pointers: ['/secret', '/hint'] })
    }
  })

  test('is not written by a PUT with the body that GET returned', async () => {
    const { id } = await addTeam()
    const body = await service.read(`/api/team/${id}`)
    const statements = await service.statements(async () => {
      expect(await service.put(`/api/team/${id}`, body)).toMatchObject({ status: 200, body })
    })
    expect(updatesIn(statements)).toEqual([])
    expect(await stored()).toEqual(asAdded)
  })

  test('is not in what the store returns', async () => {
    const store = createStore({ db: service.db, resources: withTestIds(members) })
    const team = await store.team.create({
      ...withGivenId('team', { name: 't' }),
      captain: withGivenId('captain', { name: 'c', secret: 'of c' }),
    })
    expect(team).toEqual({
      id: team.id,
      name: 't',
      members: [],
      captain: { id: team.captain?.id, name: 'c', rank: 'new' },
    })
    expect(await store.team.replace(team.id, team)).toEqual(team)
    expect((await stored()).captains).toEqual([['of c']])
  })

  test('is unknown in the nested record beside a foreign key, and in an element of an association', async () => {
    const idol = await service.add('/api/idol', { name: 'i', secret: 's' })
    const body = {
      name: 'f',
      favouriteId: idol.id,
      favourite: { ...idol, secret: 's' },
      known: [{ id: idol.id, secret: 's' }],
    }
    const pointers = ['/favourite/secret', '/known/0/secret']
    await service.refuse('POST', '/api/fan', body, { code: 'CRUD_ERR_INVALID', pointers })
  })
})
