import { defineResources, needs, ownedBy, owns } from '@fastify-crud/core'
import { Type } from '@sinclair/typebox'
import { expect, test } from 'vitest'
import { inLines } from './library.ts'
import { undisturbed } from './undisturbed.ts'

const optional = { optional: true } as const
const team = defineResources({
  team: {
    relations: { players: owns.many('player'), balls: owns.many('ball'), captain: needs.one('player', optional) },
  },
  player: {
    fields: { name: Type.String() },
    relations: { team: ownedBy('team'), ball: needs.one('ball', optional), friend: needs.one('player', optional) },
    unique: [['ball']],
  },
  ball: { relations: { team: ownedBy('team') } },
})

const ball = (id: number) => ({ id })
const player = (id: number, ballId: number | null, friendId: number | null) => ({ id, name: 'p', ballId, friendId })
const record = {
  id: 1,
  captainId: 1,
  players: [player(1, 1, 2), player(2, 2, 1), player(3, 3, null)],
  balls: [ball(1), ball(2), ball(3), ball(4)],
}

test('DELETE releases what goes from what goes with it, but not a row from another row of its table', () => {
  expect(inLines(undisturbed('delete', team, 'team', { record }))).toEqual([
    'release team.captain 1',
    'release player.ball 1,2,3',
    'delete ball 1,2,3,4',
    'delete player 1,2,3',
    'delete team 1',
  ])
})

test('PUT releases who turns to another record before the one goes, and sets what they turn to afterwards', () => {
  const players = [player(1, 2, null), player(2, 4, null), player(3, 3, null)]
  const body = { ...record, captainId: null, players, balls: [ball(2), ball(3), ball(4)] }
  expect(inLines(undisturbed('replace', team, 'team', { record }, body))).toEqual([
    'release player.ball 1',
    'delete ball 1',
    'update team 1 {"captainId":null}',
    'park player 2 {"ballId":null}',
    'update player 1 {"ballId":2,"friendId":null}; 2 {"ballId":4,"friendId":null}',
  ])
})

test('PUT releases who turns away from a record of its own table', () => {
  const body = { ...record, captainId: 2, players: [player(2, 2, 3), player(3, 3, null)] }
  expect(inLines(undisturbed('replace', team, 'team', { record }, body))).toEqual([
    'release team.captain 1',
    'release player.friend 2',
    'delete player 1',
    'update team 1 {"captainId":2}',
    'update player 2 {"friendId":3}',
  ])
})
