import { expect } from 'vitest'
import type { TestApp } from '../../../../../test/support/app.ts'
import type { JsonBody } from '../../../../../test/support/json-body.ts'
import { type AnyRecords, type AnyStore, crudOf } from '../../rules/support/crud-of.ts'

/** A record three levels below a floor, and the ways to it. */
export interface DeepRecord {
  readonly record: JsonBody
  /** Its own path, below its owners. */
  readonly path: string
  readonly floorPath: string
  readonly floorId: number
  /** The body of the floor that names what is on the record's shelf. */
  inFloor(...items: JsonBody[]): JsonBody
  /** Its shelf, as a store has it. */
  inStore(store: AnyStore): AnyRecords
}

export type Send = (method: string, path: string, body?: unknown) => Promise<{ status: number; body: JsonBody }>

/** Adds a floor with a room, a shelf and this record, in one request. */
export async function addDeep(send: Send, key: string, body: JsonBody): Promise<DeepRecord> {
  const added = await send('POST', '/api/floor', { rooms: [{ shelves: [{ items: [body] }] }] })
  expect(added.status, JSON.stringify(added.body)).toBe(201)
  const floor = added.body
  const [room] = floor.rooms
  const [shelf] = room.shelves
  const [record] = shelf.items
  const floorPath = `/api/floor/${floor.id}`
  return {
    record,
    floorPath,
    floorId: floor.id,
    path: `${floorPath}/room/${room.id}/shelf/${shelf.id}/${key}/${record.id}`,
    inFloor: (...items) => ({ rooms: [{ id: room.id, shelves: [{ id: shelf.id, items }] }] }),
    inStore: (store) =>
      store.resource('floor').owned(floor.id, 'rooms').owned(room.id, 'shelves').owned(shelf.id, 'items'),
  }
}

/** A way to write a record, and what comes of it. */
export interface Way {
  readonly by: string
  /** Whether it removes what the record owns and the body leaves out. */
  readonly replaces?: boolean
  go(): Promise<{ readonly status: number; readonly body: JsonBody }>
}

/** All ways to change these properties of a record: by its own path, three levels up, and by the store. */
export function waysToChange(service: TestApp, deep: DeepRecord, change: JsonBody): Way[] {
  const { path, floorPath, floorId, inFloor, inStore } = deep
  const send = (method: string, url: string, body: unknown): Way => ({
    by: `${method} ${url}`,
    go: () => service.request(method, url, body),
  })
  const store = crudOf(service)
  const { id } = deep.record
  const whole = async () => ({ ...(await service.read(path)), ...change })
  return [
    send('PATCH', path, change),
    { by: `PUT ${path}`, replaces: true, go: async () => service.put(path, await whole()) },
    send('PATCH', floorPath, inFloor({ id, ...change })),
    { by: `PUT ${floorPath}`, replaces: true, go: async () => service.put(floorPath, inFloor(await whole())) },
    { by: 'the store', go: () => answerOf(inStore(store).patch(id, change)) },
    {
      by: 'the store, three levels up',
      replaces: true,
      go: async () => answerOf(store.resource('floor').replace(floorId, inFloor(await whole()))),
    },
    {
      by: 'the store in a transaction',
      go: () =>
        answerOf(service.db.transaction().execute((transaction) => inStore(store.in(transaction)).patch(id, change))),
    },
  ]
}

/** What a store's promise would be as an answer. */
export async function answerOf(promise: Promise<unknown>): Promise<{ status: number; body: JsonBody }> {
  try {
    return { status: 200, body: await promise }
  } catch (error) {
    const { status = 500, code, message: detail, errors } = error as JsonBody
    return { status, body: { code, detail, errors } }
  }
}

/** Fails unless each way is refused so, and leaves the whole database as it was. */
export async function expectAllRefused(service: TestApp, ways: readonly Way[], expected: object): Promise<void> {
  for (const { by, go } of ways) {
    const before = await service.snapshot()
    expect(await go(), by).toMatchObject(expected)
    expect(await service.snapshot(), by).toEqual(before)
  }
}
