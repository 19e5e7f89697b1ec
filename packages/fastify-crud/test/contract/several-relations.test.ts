import { Type } from '@sinclair/typebox'
import { defineResources, knows, needs } from 'fastify-crud'
import { beforeEach, expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../test/support/json-body.ts'
import { updatesIn } from '../../../../test/support/statement-log.ts'

const games = defineResources({
  game: {
    fields: { place: Type.String() },
    relations: {
      home: needs.one('team'),
      away: needs.one('team'),
      winner: knows.one('team'),
      judges: needs.many('team'),
      guests: knows.many('team'),
    },
  },
  team: { fields: { name: Type.String() } },
})

describeOnBoth('several relations between the same two resources', (database) => {
  const service = useApp(database, games)
  let teams: JsonBody[]
  let game: JsonBody
  let path: string
  const refs = (...indexes: number[]) => indexes.map((index) => ({ id: teams[index].id }))

  beforeEach(async () => {
    teams = []
    for (const name of ['0', '1', '2', '3', '4']) teams.push(await service.add('/api/team', { name }))
    game = await service.add('/api/game', {
      place: 'p',
      homeId: teams[0].id,
      awayId: teams[1].id,
      winnerId: teams[0].id,
      judges: refs(2, 3),
      guests: refs(3, 0),
    })
    path = `/api/game/${game.id}`
  })

  test('do not mix', async () => {
    expect(game).toEqual({
      id: game.id,
      place: 'p',
      homeId: teams[0].id,
      home: teams[0],
      awayId: teams[1].id,
      away: teams[1],
      winnerId: teams[0].id,
      winner: teams[0],
      judges: [teams[2], teams[3]],
      guests: [teams[0], teams[3]],
    })
    const { body } = await service.patch(path, { awayId: teams[4].id, guests: refs(1) })
    expect(body).toEqual({
      ...game,
      awayId: teams[4].id,
      away: teams[4],
      guests: [teams[0], teams[1], teams[3]],
    })
  })

  test('PUT of what GET returned runs no UPDATE', async () => {
    const statements = await service.statements(async () => {
      expect((await service.put(path, game)).body).toEqual(game)
    })
    expect(updatesIn(statements)).toEqual([])
  })

  test('two foreign keys swap in one PUT', async () => {
    const { body } = await service.put(path, { ...game, homeId: teams[1].id, awayId: teams[0].id })
    expect(body).toEqual({ ...game, homeId: teams[1].id, home: teams[1], awayId: teams[0].id, away: teams[0] })
  })

  test('a record that is needed by one relation is not deleted, whoever else knows it', async () => {
    await service.refuse('DELETE', `/api/team/${teams[0].id}`, undefined, {
      code: 'CRUD_ERR_STILL_NEEDED',
      detail: /\b1\b.*game/,
    })
    await service.refuse('DELETE', `/api/team/${teams[3].id}`, undefined, { code: 'CRUD_ERR_STILL_NEEDED' })
    await service.put(path, { ...game, homeId: teams[4].id, judges: refs(2) })
    expect((await service.delete(`/api/team/${teams[0].id}`)).status).toBe(204)
    expect((await service.delete(`/api/team/${teams[3].id}`)).status).toBe(204)
    expect(await service.read(path)).toEqual({
      ...game,
      homeId: teams[4].id,
      home: teams[4],
      winnerId: null,
      winner: null,
      judges: [teams[2]],
      guests: [],
    })
  })

  test('a record that needs the same one twice counts as one record', async () => {
    const both = { place: 'q', homeId: teams[4].id, awayId: teams[4].id, judges: refs(4) }
    await service.add('/api/game', both)
    await service.refuse('DELETE', `/api/team/${teams[4].id}`, undefined, { code: 'CRUD_ERR_STILL_NEEDED' })
  })
})
