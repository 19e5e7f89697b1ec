import { Type } from '@sinclair/typebox'
import { describe, expect, it } from 'vitest'
import { defineResources } from '../../core/src/model/define/define-resources.ts'
import { knows, ownedBy, owns } from '../../core/src/model/descriptors/relations.ts'
import { openApiOf } from '../src/document/openapi-of.ts'
import { componentOf, propertyOf, validatorOf } from './validator.ts'

const model = defineResources({
  account: {
    fields: {
      name: Type.String(),
      createdAt: Type.String({ readOnly: true, format: 'date-time' }),
      state: Type.String({ readOnly: true, default: 'new' }),
      password: Type.String({ writeOnly: true, description: 'At least a word.' }),
      notes: Type.Optional(Type.String({ summary: false })),
    },
    relations: { keys: owns.many('key'), friend: knows.one('account'), friends: knows.many('account') },
  },
  key: {
    fields: { label: Type.String(), seen: Type.Integer({ readOnly: true }), hash: Type.String({ writeOnly: true }) },
    relations: { account: ownedBy('account'), parts: owns.many('part') },
  },
  part: { fields: { label: Type.String() }, relations: { key: ownedBy('key') } },
})
const wrongWith = validatorOf(model)

const friend = { id: 2, name: 'f', createdAt: '2026-03-14T09:26:53Z', state: 'new' }
const record = {
  id: 1,
  name: 'a',
  createdAt: '2026-03-14T09:26:53Z',
  state: 'new',
  notes: null,
  keys: [{ id: 1, label: 'k', seen: 3, parts: [] }],
  friendId: 2,
  friend,
  friends: [friend],
}

describe('the options of a field, in the OpenAPI document', () => {
  it('a record has no write-only field, and its read-only fields say so', () => {
    expect(wrongWith('account.record', record)).toEqual([])
    expect(wrongWith('account.record', { ...record, password: 'p' })).not.toEqual([])
    expect(propertyOf(model, 'account.record', 'state')).toEqual({ type: 'string', readOnly: true })
  })

  it('a summary has no field with `summary: false`', () => {
    expect(wrongWith('account.record', { ...record, friend: { ...friend, notes: null } })).not.toEqual([])
  })

  it('the bodies of POST and PATCH have no read-only field', () => {
    const body = { name: 'a', password: 'p', keys: [{ label: 'k', hash: 'h' }] }
    for (const component of ['account.create', 'account.patch']) {
      expect(wrongWith(component, body)).toEqual([])
      expect(wrongWith(component, { ...body, state: 'new' })).not.toEqual([])
      expect(wrongWith(component, { ...body, keys: [{ label: 'k', hash: 'h', seen: 1 }] })).not.toEqual([])
    }
    expect(wrongWith('account.create', { name: 'a' })).toEqual([" must have required property 'password'"])
  })

  it('the body of PUT may be what GET returned, and may have anything where it ignores it', () => {
    expect(wrongWith('account.replace', record)).toEqual([])
    expect(wrongWith('account.replace', { name: 'a', state: 5, createdAt: [] })).toEqual([])
    const fresh = { label: 'k', hash: 'h', seen: null, parts: [{ label: 'p' }] }
    expect(wrongWith('account.replace', { name: 'a', keys: [fresh] })).toEqual([])
    expect(wrongWith('account.replace', { name: 'a', keys: [{ ...fresh, hash: undefined }] })).not.toEqual([])
  })

  it('the body of PUT says that what cannot be sent back stays as it is', () => {
    expect(propertyOf(model, 'account.replace', 'password')).toEqual({
      type: 'string',
      writeOnly: true,
      description: 'At least a word. If it is left out, it stays unchanged.',
    })
  })

  it('a new record in a PUT is described in a way of its own only where read-only fields are', () => {
    const { schemas } = openApiOf(model).components
    expect(schemas).toHaveProperty(['key.createInReplace'])
    expect(schemas).not.toHaveProperty(['part.createInReplace'])
    expect(schemas).not.toHaveProperty(['account.createInReplace'])
  })

  it('marks nothing in a body as `readOnly`, nor in an answer as `writeOnly`', () => {
    for (const [name, schema] of Object.entries(openApiOf(model).components.schemas)) {
      const isAnswer = /\.(record|partial|summary|page)$/.test(name)
      expect(JSON.stringify(schema), name).not.toContain(isAnswer ? '"writeOnly"' : '"readOnly"')
      expect(JSON.stringify(schema), name).not.toContain('"summary":false')
    }
  })

  it('examples fit their schemas', () => {
    for (const name of ['record', 'create', 'replace', 'patch'].map((kind) => `account.${kind}`)) {
      const { examples } = componentOf(model, name)
      expect(examples, name).toHaveLength(1)
      for (const example of examples as unknown[]) expect(wrongWith(name, example), name).toEqual([])
    }
  })
})
