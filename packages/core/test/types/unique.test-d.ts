import { Type } from '@sinclair/typebox'
import { test } from 'vitest'
import { defineResources, needs, ownedBy, owns, type UniqueKeyDeclaration } from '../../src/index.ts'

const fields = { name: Type.String(), deletedAt: Type.Optional(Type.String()) }
const relations = { team: ownedBy('team'), room: needs.one('room', { foreignKey: 'place' }) }
const others = { team: { relations: { users: owns.many('user') } }, room: {} }

test('a unique key names fields, relations with a foreign key, and these keys', () => {
  defineResources({
    ...others,
    user: {
      fields,
      relations,
      unique: [
        ['name', 'team'],
        ['teamId', 'place'],
        { fields: ['room'], where: { deletedAt: null, teamId: { null: false } } },
      ],
    },
  })
})

test('any other name is a compile error', () => {
  // @ts-expect-error: there is no field nam
  const first = () => defineResources({ ...others, user: { fields, relations, unique: [['nam']] } })
  // @ts-expect-error: there is no field nam
  const second = () => defineResources({ ...others, user: { fields, relations, unique: [{ fields: ['nam'] }] } })
  const third = () =>
    defineResources({
      ...others,
      // @ts-expect-error: there is no field deleted
      user: { fields, relations, unique: [{ fields: ['name'], where: { deleted: null } }] },
    })
  const fourth = () =>
    defineResources({
      // @ts-expect-error: the foreign key is that of the user
      team: { relations: { users: owns.many('user') }, unique: [['users']] },
      user: { fields, relations: { team: ownedBy('team') } },
    })
  void [first, second, third, fourth]
})

test('names that are not known at compile time are checked at start', () => {
  const unique: UniqueKeyDeclaration[] = [{ fields: ['name'], where: { deletedAt: null } }]
  const lists: string[][] = [['name']]
  defineResources({ user: { fields, unique } })
  defineResources({ user: { fields, unique: lists } })
})
