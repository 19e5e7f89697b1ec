import { Type } from '@sinclair/typebox'
import { expect, test } from 'vitest'
import { defineResources } from '../../core/src/model/define/define-resources.ts'
import { knows, ownedBy, owns } from '../../core/src/model/descriptors/relations.ts'
import { openApiOf } from '../src/document/openapi-of.ts'
import { componentOf, propertyOf, validatorOf } from './validator.ts'

const model = defineResources({
  person: {
    fields: {
      name: Type.String(),
      salary: Type.Integer({ default: 0, description: 'A year.', access: { View: ['hr', 'lead'], Edit: ['hr'] } }),
      grade: Type.String({ default: 'a', access: { Edit: ['hr'] } }),
      note: Type.String({ access: { View: ['hr'] } }),
      age: Type.Optional(Type.Integer({ access: { Edit: [] } })),
      pin: Type.Optional(Type.String({ access: { View: [] } })),
      inner: Type.Optional(Type.String({ access: { View: [], Edit: [] } })),
    },
    relations: { boss: knows.one('person'), jobs: owns.many('job') },
  },
  job: {
    fields: { title: Type.String(), pay: Type.Integer({ access: { View: ['hr'], Edit: ['hr'] } }) },
    relations: { person: ownedBy('person') },
  },
})
const wrongWith = validatorOf(model)

const seenByAll = { id: 1, name: 'n', grade: 'a', age: null }
const record = { ...seenByAll, bossId: 1, boss: seenByAll, jobs: [{ id: 1, title: 't' }] }
const full = { ...record, salary: 1, note: 'n', jobs: [{ id: 1, title: 't', pay: 1 }] }

test('a record and a summary may lack a field that only some callers see', () => {
  expect(wrongWith('person.record', record)).toEqual([])
  expect(wrongWith('person.record', full)).toEqual([])
  expect(wrongWith('person.record', { ...record, grade: undefined })).not.toEqual([])
  expect(wrongWith('person.summary', seenByAll)).toEqual([])
})

test('its description says which callers see it', () => {
  expect(propertyOf(model, 'person.record', 'salary')).toEqual({
    type: 'integer',
    description: 'A year. Only callers with the role `hr` or `lead` see it.',
  })
  expect(propertyOf(model, 'person.summary', 'note')).toEqual({
    type: 'string',
    description: 'Only callers with the role `hr` see it.',
  })
  expect(propertyOf(model, 'person.record', 'grade')).toEqual({ type: 'string' })
})

test('bodies may lack a field that only some callers set, and its description says which', () => {
  expect(wrongWith('person.create', { name: 'n', note: 'n', jobs: [{ title: 't' }] })).toEqual([])
  expect(wrongWith('person.create', { name: 'n' })).toEqual([" must have required property 'note'"])
  expect(propertyOf(model, 'job.create', 'pay')).toEqual({
    type: 'integer',
    description: 'Only callers with the role `hr` can set it.',
  })
  expect(propertyOf(model, 'person.patch', 'salary')).toMatchObject({
    anyOf: [{ type: 'integer' }, { required: ['$add'] }],
    description: 'A year. Only callers with the role `hr` can set it.',
  })
})

test('the body of PUT may be what GET returned to any caller, and says what stays as it is', () => {
  for (const body of [record, full, { name: 'n' }]) expect(wrongWith('person.replace', body)).toEqual([])
  const stays = 'If a caller who does not see it, or cannot set it, leaves it out, it stays unchanged.'
  expect(propertyOf(model, 'person.replace', 'grade')).toEqual({
    type: 'string',
    description: `Only callers with the role \`hr\` can set it. ${stays}`,
  })
  expect(propertyOf(model, 'person.replace', 'note')).toEqual({ type: 'string', description: stays })
})

test('what no caller sees or sets is not described', () => {
  expect(propertyOf(model, 'person.record', 'pin')).toBeUndefined()
  expect(propertyOf(model, 'person.create', 'pin')).toMatchObject({ type: ['string', 'null'], writeOnly: true })
  expect(propertyOf(model, 'person.create', 'age')).toBeUndefined()
  expect(propertyOf(model, 'person.record', 'age')).toMatchObject({ readOnly: true })
  expect(JSON.stringify(openApiOf(model))).not.toContain('"inner"')
})

test('no keyword of this library is left in the document', () => {
  expect(JSON.stringify(openApiOf(model))).not.toContain('"access"')
})

test('examples of bodies fit every caller, and all examples fit their schemas', () => {
  for (const kind of ['record', 'create', 'replace', 'patch']) {
    const { examples } = componentOf(model, `person.${kind}`)
    const [example] = examples as [object]
    expect(wrongWith(`person.${kind}`, example), kind).toEqual([])
    if (kind !== 'record') expect(JSON.stringify(example)).not.toMatch(/salary|grade|pay|age/)
  }
})
