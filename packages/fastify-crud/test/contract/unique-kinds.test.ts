import { Type } from '@sinclair/typebox'
import { defineResources, ownedBy, owns } from 'fastify-crud'
import { expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'

const plan = defineResources({
  plan: { fields: { name: Type.String() }, relations: { slots: owns.many('slot') } },
  slot: {
    fields: {
      day: Type.String({ format: 'date' }),
      at: Type.String({ format: 'date-time' }),
      clock: Type.String({ format: 'time' }),
      opens: Type.String({ format: 'iso-time' }),
      code: Type.String({ format: 'uuid' }),
      price: Type.String({ format: 'decimal' }),
      cents: Type.String({ format: 'decimal', pattern: String.raw`^-?\d{1,2}(\.\d{2})?$` }),
      ratio: Type.Number(),
      rank: Type.Integer(),
      word: Type.String({ maxLength: 2 }),
      side: Type.Union([Type.Literal('l'), Type.Literal('r')]),
      open: Type.Boolean(),
    },
    relations: { plan: ownedBy('plan') },
    unique: [
      ['plan', 'clock'],
      ['plan', 'opens'],
      ['plan', 'code'],
      ['plan', 'price'],
      ['plan', 'cents'],
      ['plan', 'day'],
      ['plan', 'at'],
      ['ratio'],
      ['rank', 'word'],
      ['plan', 'side'],
      ['plan', 'open'],
    ],
  },
})

const uuid = '0190163d-8694-739b-aea5-966c26f8ad9'
const first = {
  ...{ clock: '10:00:00Z', opens: '10:00:00', code: `${uuid}1`, price: '1.5', cents: '1.50' },
  day: '2026-01-01',
  at: '2026-01-01T00:00:00Z',
  ratio: 0.5,
  rank: 1,
  word: 'a',
  side: 'l',
  open: true,
}
const second = {
  ...{ clock: '10:00:00+02:00', opens: '11:00:00', code: `${uuid}2`, price: '2', cents: '2.00' },
  day: '2026-01-02',
  at: '2026-01-01T00:00:01Z',
  ratio: 1,
  rank: 2,
  word: 'b',
  side: 'r',
  open: false,
}

describeOnBoth('a swap of unique values that may not be null', (database) => {
  const service = useApp(database, plan)

  for (const names of [
    ['clock'],
    ['opens'],
    ['code'],
    ['price'],
    ['cents'],
    ['day'],
    ['at'],
    ['ratio'],
    ['rank', 'word'],
    ['rank'],
    ['side'],
    ['open'],
  ] as const) {
    test(`200, ids kept: ${names.join(' and ')}`, async () => {
      const { id, slots } = await service.add('/api/plan', { name: 'p', slots: [first, second] })
      const [s1, s2] = slots
      const swapped = [{ ...s1 }, { ...s2 }]
      for (const name of names) [swapped[0][name], swapped[1][name]] = [s2[name], s1[name]]
      const { status, body } = await service.put(`/api/plan/${id}`, { name: 'p', slots: swapped })
      expect(status).toBe(200)
      expect(body.slots).toEqual(swapped)
      expect(await service.read(`/api/plan/${id}`)).toEqual(body)
    })
  }

  test('409 with both pointers, for each kind of value', async () => {
    for (const name of ['clock', 'opens', 'code', 'price', 'cents', 'day', 'at', 'ratio', 'side', 'open'] as const) {
      await service.refuse(
        'POST',
        '/api/plan',
        { name: 'p', slots: [first, { ...second, [name]: first[name] }] },
        {
          code: 'CRUD_ERR_NOT_UNIQUE',
          pointers: [`/slots/0/${name}`, `/slots/1/${name}`],
          detail: new RegExp(name),
        },
      )
    }
  })
})
