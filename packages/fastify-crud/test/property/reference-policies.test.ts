import { Type } from '@sinclair/typebox'
import { knows, ownedBy, owns } from 'fastify-crud'
import { expect, test } from 'vitest'
import type { Json } from './json.ts'
import type { Access, Condition } from './policy-spec.ts'
import { Reference } from './reference.ts'
import type { Method } from './reference-answer.ts'
import { readDescriptors } from './reference-model.ts'

const isMine: Condition = { is: 'mine', property: 'team', name: 'team' }
const isOpen: Condition = { is: 'constant', property: 'state', value: 'open' }

const access: Access = {
  policies: {
    project: {
      byRole: {
        member: { View: isMine, Add: isMine, EditBefore: isMine, EditAfter: true, Delete: isMine },
        guest: {
          View: { is: 'null', property: 'team' },
          Add: false,
          EditBefore: false,
          EditAfter: false,
          Delete: false,
        },
      },
    },
    task: { forAll: { View: true, Add: true, EditBefore: isOpen, EditAfter: true, Delete: isOpen } },
  },
  callers: [
    { roles: ['member'], values: { team: { value: 'a', idOf: undefined } } },
    { roles: ['member'], values: { team: { value: null, idOf: undefined } } },
    { roles: ['member', 'guest'], values: { team: { value: 'a', idOf: undefined } } },
  ],
}

const descriptors = {
  project: {
    fields: { team: Type.Optional(Type.String()) },
    relations: { tasks: owns.many('task'), next: knows.one('project') },
  },
  task: { fields: { state: Type.String() }, relations: { project: ownedBy('project') } },
}

test('a story of callers that was worked out by hand', () => {
  const reference = new Reference(readDescriptors(descriptors), access)
  const send = (caller: number | undefined, method: Method, id: number | undefined, body?: Json): unknown[] => {
    const address = { owners: [], segment: 'project', id }
    const answer = reference.send({ method, address, query: {}, body, caller })
    return [answer.status, 'body' in answer ? answer.body : 'code' in answer ? answer.code : undefined]
  }
  const [member, nobody, guest] = [0, 1, 2]
  const none = { nextId: null, next: null }

  expect(send(undefined, 'POST', undefined, { team: 'b' })[0]).toBe(201)
  expect(send(undefined, 'POST', undefined, {})[0]).toBe(201)
  expect(send(member, 'GET', 1)).toEqual([404, 'CRUD_ERR_NOT_FOUND'])
  expect(send(nobody, 'GET', undefined)).toEqual([200, { rows: [], count: 0 }])
  expect(send(guest, 'GET', undefined)).toEqual([200, { rows: [{ id: 2, team: null, tasks: [], ...none }], count: 1 }])
  expect(send(guest, 'PATCH', 2, {})).toEqual([403, 'CRUD_ERR_FORBIDDEN'])
  expect(send(member, 'POST', undefined, { team: 'b' })).toEqual([403, 'CRUD_ERR_FORBIDDEN'])

  const tasks = [{ state: 'open' }, { state: 'done' }]
  expect(send(member, 'POST', undefined, { team: 'a', tasks, nextId: 1 })).toEqual([400, 'CRUD_ERR_UNKNOWN_REFERENCE'])
  expect(send(member, 'POST', undefined, { team: 'a', tasks })[0]).toBe(201)
  expect(send(member, 'PATCH', 3, { tasks: [{ id: 1, state: 'done' }] })[0]).toBe(200)
  expect(send(member, 'PATCH', 3, { tasks: [{ id: 1, state: 'open' }] })).toEqual([403, 'CRUD_ERR_FORBIDDEN'])
  expect(send(member, 'PATCH', 3, { tasks: [{ id: 1, state: 'done' }] })[0]).toBe(200)
  expect(send(member, 'DELETE', 3)).toEqual([403, 'CRUD_ERR_FORBIDDEN'])
  expect(send(member, 'PATCH', 3, { team: 'b' })).toEqual([200, undefined])
  expect(send(member, 'GET', 3)).toEqual([404, 'CRUD_ERR_NOT_FOUND'])
})
