import type { Id, Problem } from '@fastify-crud/core'
import type { Asked } from '@fastify-crud/core/internal'
import { bodyId, pathId } from '../request.ts'
import type { Call } from './operation.ts'
import { type Write, writer } from './write.ts'

/** Everything that is wrong with the body of a write of one record. `hasId`: the path names its id. */
const problemsOfBody =
  (operation: 'create' | 'replace' | 'patch', hasId: boolean): Write['bodyProblems'] =>
  ({ store, at, id, request: { body } }: Call, _query, asked: Asked): readonly Problem[] =>
    store.bodyProblems({ at, operation, body, id: hasId ? id : undefined }, asked)

/** POST to a collection. */
export const createRecord = writer({
  operation: 'create',
  bodyProblems: problemsOfBody('create', false),
  run: ({ store, at, request: { body } }, _query, asked) => store.create(at, body, undefined, asked),
})

/** POST to a record that is not there yet. */
export const createAt = writer({
  operation: 'create',
  idOf: pathId,
  bodyProblems: problemsOfBody('create', true),
  run: ({ store, at, id, request: { body } }, _query, asked) => store.create(at, body, id, asked),
})

/** PUT of a record. */
export const replaceRecord = writer({
  operation: 'replace',
  idOf: pathId,
  bodyProblems: problemsOfBody('replace', true),
  run: ({ store, at, id, request: { body } }, _query, asked) => store.replace(at, id, body, asked),
})

/** PUT to a collection: the body names the record. */
export const replaceNamed = writer({
  operation: 'replace',
  idOf: bodyId,
  bodyProblems: problemsOfBody('replace', false),
  run: ({ store, at, request: { body } }, _query, asked) => store.replace(at, undefined, body, asked),
})

/** PATCH of a record. */
export const patchRecord = writer({
  operation: 'patch',
  idOf: pathId,
  bodyProblems: problemsOfBody('patch', true),
  run: ({ store, at, id, request: { body } }, _query, asked) => store.patch(at, id as Id, body, asked),
})

/** DELETE of a record. */
export const deleteRecord = writer({
  operation: 'delete',
  idOf: pathId,
  bodyProblems: () => [],
  async run({ store, at, id }, _query, asked) {
    await store.delete(at, id as Id, asked)
    return undefined
  },
})
