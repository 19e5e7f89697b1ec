import { defineResources, needs, ownedBy, owns } from '@fastify-crud/core'
import { Type } from '@sinclair/typebox'
import { expect, test } from 'vitest'
import { inLines } from './library.ts'
import { undisturbed } from './undisturbed.ts'

const model = defineResources({
  hotel: { relations: { bookings: owns.many('booking') } },
  booking: {
    fields: {
      code: Type.Optional(Type.String()),
      cancelled: Type.Boolean(),
      state: Type.String(),
    },
    relations: { hotel: ownedBy('hotel'), room: needs.one('room') },
    unique: [
      { fields: ['code'], where: { cancelled: false } },
      { fields: ['room'], where: { state: 'booked' } },
    ],
  },
  room: {},
})

const one = { id: 11, code: 'a', cancelled: false, state: 'booked', roomId: 1, room: { id: 1 } }
const two = { id: 12, code: 'b', cancelled: true, state: 'booked', roomId: 2, room: { id: 2 } }
const hotel = { id: 1, bookings: [one, two] }

const put = (...bookings: object[]) =>
  inLines(undisturbed('replace', model, 'hotel', { record: hotel }, { id: 1, bookings }))

test('a row whose update leaves the condition does that first, if another one takes its value', () => {
  expect(put({ ...one, cancelled: true }, { ...two, cancelled: false, code: 'a' })).toMatchInlineSnapshot(`
    [
      "park booking 11 {"cancelled":true}",
      "update booking 11 {"cancelled":true}; 12 {"code":"a","cancelled":false}",
    ]
  `)
})

test('rows that swap values within the condition are parked at null', () => {
  const [first, second] = [one, { ...two, cancelled: false }]
  const outcome = undisturbed(
    'replace',
    model,
    'hotel',
    { record: { id: 1, bookings: [first, second] } },
    {
      id: 1,
      bookings: [
        { ...first, code: 'b' },
        { ...second, code: 'a' },
      ],
    },
  )
  expect(inLines(outcome)).toMatchInlineSnapshot(`
    [
      "park booking 11 {"code":null}; 12 {"code":null}",
      "update booking 11 {"code":"b"}; 12 {"code":"a"}",
    ]
  `)
})

test('where values have no room, rows leave the condition for a moment and come back', () => {
  expect(put({ ...one, roomId: 2, room: undefined }, { ...two, roomId: 1, room: undefined })).toMatchInlineSnapshot(`
    [
      "park booking 11 {"state":"0"}; 12 {"state":"1"}",
      "update booking 11 {"state":"booked","roomId":2}; 12 {"state":"booked","roomId":1}",
    ]
  `)
})

test('nothing has to be free where a row is outside of the condition', () => {
  expect(put(one, { ...two, code: 'a' })).toMatchInlineSnapshot(`
    [
      "update booking 12 {"code":"a"}",
    ]
  `)
})
