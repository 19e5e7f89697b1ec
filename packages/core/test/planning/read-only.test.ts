import {
  defineResources,
  type Outcome,
  planCreate,
  planDelete,
  planLookups,
  planPatch,
  planReplace,
} from '@fastify-crud/core'
import { Type } from '@sinclair/typebox'
import { expect, test } from 'vitest'

const fields = { name: Type.String() }
const resources = defineResources({
  author: { writable: false, fields },
  line: { id: false, fields },
})

test.each([
  ['author', 'records of author are only read: its descriptor says writable: false'],
  ['line', 'records of line are only read: its descriptor says id: false'],
] as const)('no write of what is only read is planned: %s', (key, detail) => {
  const record = { id: 1, name: 'Ann' }
  const outcomes: readonly (Outcome | ReturnType<typeof planLookups>)[] = [
    planCreate(resources, key, {}, { name: 'Ann' }),
    planReplace(resources, key, { record }, { name: 'Bea' }),
    planPatch(resources, key, { record }, { name: 'Bea' }),
    planDelete(resources, key, { record }),
    planLookups('create', resources, key, {}, { name: 'Ann' }),
    planLookups('delete', resources, key, { record }),
    // Not even where the body is wrong.
    planCreate(resources, key, {}, { nome: 'Ann' }),
  ]
  for (const outcome of outcomes) {
    expect(outcome).toMatchObject({ refusal: { code: 'CRUD_ERR_METHOD', detail } })
  }
})
