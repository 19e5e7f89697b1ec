import { expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import { members } from './models/members.ts'

describeOnBoth('a field with `summary: false`', (database) => {
  const service = useApp(database, members)

  async function addFan() {
    const idol = await service.add('/api/idol', { name: 'i', notes: 'long', secret: 's' })
    const fan = await service.add('/api/fan', { name: 'f', favouriteId: idol.id, known: [{ id: idol.id }] })
    return { idol, fan }
  }

  test('is in the record itself, and not where other records show it', async () => {
    const { idol, fan } = await addFan()
    expect(idol).toEqual({ id: idol.id, name: 'i', rank: 'new', notes: 'long' })
    const shown = { id: idol.id, name: 'i', rank: 'new' }
    expect(fan).toEqual({ id: fan.id, name: 'f', favouriteId: idol.id, favourite: shown, known: [shown] })
    expect(await service.read('/api/fan')).toEqual({ rows: [fan], count: 1 })
  })

  test('is in a record that is owned, which is shown in full', async () => {
    const members = [{ name: 'm', secret: 's', notes: 'long' }]
    const team = await service.add('/api/team', { name: 't', members })
    expect(team.members).toMatchObject([{ notes: 'long' }])
    expect(await service.read(`/api/team/${team.id}/member/${team.members[0].id}`)).toMatchObject({ notes: 'long' })
  })

  test('is set by POST, PUT and PATCH like any other', async () => {
    const { idol } = await addFan()
    const path = `/api/idol/${idol.id}`
    expect((await service.patch(path, { notes: 'other' })).body.notes).toBe('other')
    expect((await service.put(path, { name: 'i', notes: 'third' })).body.notes).toBe('third')
    expect((await service.put(path, { name: 'i' })).body.notes).toBeNull()
  })

  test('may stand in the nested record beside a foreign key, where it is ignored', async () => {
    const { idol, fan } = await addFan()
    const own = await service.read(`/api/idol/${idol.id}`)
    const body = { ...fan, favourite: { ...own, notes: 'other' }, known: [own] }
    expect(await service.put(`/api/fan/${fan.id}`, body)).toMatchObject({ status: 200, body: fan })
    expect(await service.read(`/api/idol/${idol.id}`)).toEqual(own)
  })
})
