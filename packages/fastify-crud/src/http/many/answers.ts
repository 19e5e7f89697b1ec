import type { JsonStore, WrittenMany } from '@fastify-crud/core/internal'
import type { Answer } from '../answer.ts'
import type { Call } from '../call.ts'

/** POST of one body, or of an array of them. */
export async function createOneOrMany(store: JsonStore, { at, request: { body }, asked }: Call): Promise<Answer> {
  return Array.isArray(body)
    ? many(await store.createMany(at, body, asked))
    : await store.create(at, body, undefined, asked)
}

/** PUT to a list: the bodies name their records, by their ids or by their unique values. */
export async function replaceOneOrMany(
  store: JsonStore,
  { at, request: { body }, query: { by }, asked }: Call,
): Promise<Answer> {
  if (by === undefined) {
    return Array.isArray(body)
      ? many(await store.replaceMany(at, body, asked))
      : await store.replace(at, undefined, body, asked)
  }
  return Array.isArray(body)
    ? many(await store.upsertMany(at, body, by, asked))
    : await store.upsert(at, body, by, asked)
}

/** PATCH of a list: an array of bodies with ids, or one body for all records that match a filter. */
export async function patchMany(
  store: JsonStore,
  { at, request: { body }, query: { matching }, asked }: Call,
): Promise<Answer> {
  if (Array.isArray(body)) return many(await store.patchMany(at, body, asked))
  return many(await store.patchMatching(at, { filter: matching?.filter }, body, asked))
}

/** DELETE of all records that match a filter. */
export async function deleteMany(store: JsonStore, { at, query: { matching }, asked }: Call): Promise<Answer> {
  return many(await store.deleteMatching(at, { filter: matching?.filter }, asked))
}

function many({ json, firstStatus }: WrittenMany): Answer {
  return { isMany: true, json, firstStatus }
}
