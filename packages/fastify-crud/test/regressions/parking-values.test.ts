import { Type } from '@sinclair/typebox'
import { defineResources, ownedBy, owns } from 'fastify-crud'
import { expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnDatabases } from '../../../../test/support/describe-on-databases.ts'

const team = defineResources({
  team: { fields: { name: Type.String() }, relations: { players: owns.many('player') } },
  player: {
    fields: { code: Type.String(), rank: Type.Integer(), born: Type.String({ format: 'date' }) },
    relations: { team: ownedBy('team') },
    unique: [['code'], ['rank'], ['born']],
  },
})

describeOnDatabases('a swap of unique values, where the usual values to park at are taken', (database) => {
  const service = useApp(database, team)

  test.each(['code', 'rank', 'born'])('is 200: %s', async (field) => {
    await service.add('/api/team', {
      name: 'other',
      players: [
        { code: '\u007f0', rank: -2147483648, born: '9999-12-31' },
        { code: '\u007f1', rank: -2147483647, born: '9999-12-30' },
        { code: '\u007f2', rank: -2147483646, born: '9999-12-29' },
      ],
    })
    const { id, players } = await service.add('/api/team', {
      name: 't',
      players: [
        { code: 'a', rank: 1, born: '2001-01-01' },
        { code: 'b', rank: 2, born: '2002-02-02' },
      ],
    })
    const [first, second] = players
    const swapped = [
      { ...first, [field]: second[field] },
      { ...second, [field]: first[field] },
    ]
    const { status, body } = await service.put(`/api/team/${id}`, { name: 't', players: swapped })
    expect([status, body]).toEqual([200, { id, name: 't', players: swapped }])
    const back = await service.patch(`/api/team/${id}`, { players })
    expect([back.status, back.body]).toEqual([200, { id, name: 't', players }])
  })
})
