import { defineResources, ownedBy, owns, planCreate, planPatch, planReplace } from '@fastify-crud/core'
import { Type } from '@sinclair/typebox'
import { expect, test } from 'vitest'
import { planOf } from './library.ts'

const model = defineResources({
  safe: {
    fields: {
      label: Type.String(),
      serial: Type.Integer({ readOnly: true }),
      state: Type.String({ readOnly: true, default: 'shut' }),
      code: Type.String({ writeOnly: true }),
    },
    relations: { locks: owns.many('lock') },
  },
  lock: {
    fields: {
      label: Type.String(),
      serial: Type.Optional(Type.Integer({ readOnly: true })),
      code: Type.Optional(Type.String({ writeOnly: true })),
    },
    relations: { safe: ownedBy('safe') },
    unique: [['code']],
  },
})

const record = { id: 1, label: 's', serial: 5, state: 'open', locks: [{ id: 2, label: 'l', serial: 6 }] }
const [lock] = record.locks

test('POST leaves a read-only field to the database, or to its default', () => {
  const { steps } = planOf(planCreate(model, 'safe', {}, { label: 's', code: 'c', locks: [{ label: 'l' }] }))
  expect(steps).toMatchObject([
    { step: 'insert', rows: [{ values: { label: 's', state: 'shut', code: 'c' } }] },
    { step: 'insert', rows: [{ values: { label: 'l', code: null } }] },
  ])
  for (const step of steps) if (step.step === 'insert') expect(step.rows[0]?.values).not.toHaveProperty('serial')
})

test('PUT of a record that shows no write-only value has no steps', () => {
  expect(planOf(planReplace(model, 'safe', { record }, record)).steps).toEqual([])
})

test('PUT ignores read-only values, at every depth, also where it creates a record', () => {
  const body = {
    ...record,
    serial: 'x',
    state: null,
    locks: [
      { ...lock, serial: 7 },
      { label: 'm', serial: 8 },
    ],
  }
  expect(planOf(planReplace(model, 'safe', { record }, body)).steps).toMatchObject([
    { step: 'insert', resource: 'lock', rows: [{ values: { label: 'm', code: null } }] },
  ])
})

test('a write-only value is always written: the present one is not known', () => {
  const state = {
    record,
    facts: [{ lookup: 'holders', resource: 'lock', unique: ['code'], values: [{ code: 'b' }], found: [null] }],
  } as const
  const update = [{ step: 'update', resource: 'lock', rows: [{ id: 2, values: { code: 'b' } }] }]
  expect(planOf(planPatch(model, 'safe', state, { locks: [{ id: 2, code: 'b' }] })).steps).toMatchObject(update)
  expect(planOf(planReplace(model, 'safe', state, { ...record, locks: [{ ...lock, code: 'b' }] })).steps).toMatchObject(
    update,
  )
  const cleared = planPatch(model, 'safe', { record }, { locks: [{ id: 2, code: null }] })
  expect(planOf(cleared).steps).toMatchObject([{ step: 'update', rows: [{ id: 2, values: { code: null } }] }])
})
