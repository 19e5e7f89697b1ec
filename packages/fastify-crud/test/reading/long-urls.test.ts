import { randomUUID } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { Type } from '@sinclair/typebox'
import { defineResources } from 'fastify-crud'
import { describe, expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { databases, type TestDatabase } from '../../../../test/support/databases.ts'
import type { JsonBody } from '../../../../test/support/json-body.ts'

const [anyDatabase] = databases as [TestDatabase]
const model = defineResources({ tag: { id: { kind: 'uuid', assign: 'client' }, fields: { word: Type.String() } } })

/** How a service on a real socket answers a list by so many UUIDs, of which the last is there. */
async function answerTo(service: ReturnType<typeof useApp>, ids: number, spelling: 'brackets' | 'JSON') {
  const { id } = await service.add('/api/tag', { id: randomUUID(), word: 'a' })
  const all = [...Array.from({ length: ids - 1 }, () => randomUUID()), id]
  const inBrackets = all.map((one): [string, string] => ['filter[id][in]', one])
  const query = new URLSearchParams(spelling === 'JSON' ? { filter: JSON.stringify({ id: { in: all } }) } : inBrackets)
  const { port } = addressOf(service) ?? (await listen(service))
  const response = await fetch(`http://127.0.0.1:${port}/api/tag?${query}`)
  return { status: response.status, rows: response.ok ? ((await response.json()) as JsonBody).rows : undefined }
}

function addressOf({ fastify }: ReturnType<typeof useApp>): AddressInfo | undefined {
  return fastify.server.address() as AddressInfo | undefined
}

async function listen(service: ReturnType<typeof useApp>): Promise<AddressInfo> {
  await service.fastify.listen({ host: '127.0.0.1', port: 0 })
  return addressOf(service) as AddressInfo
}

describe('a list by many ids', () => {
  const service = useApp(anyDatabase, model)
  test('has about 250 UUIDs in a URL, as Node.js takes 16 KB', async () => {
    expect(await answerTo(service, 250, 'brackets')).toMatchObject({ status: 200, rows: [{ word: 'a' }] })
    expect(await answerTo(service, 330, 'JSON')).toMatchObject({ status: 200, rows: [{ word: 'a' }] })
    expect((await answerTo(service, 500, 'brackets')).status).toBe(431)
  })
})

describe('a list by many ids, with a larger `maxHeaderSize`,', () => {
  const service = useApp(anyDatabase, model, { fastify: { http: { maxHeaderSize: 65_536 } } })
  test('has all 500 values that a filter may have', async () => {
    for (const spelling of ['brackets', 'JSON'] as const) {
      expect(await answerTo(service, 500, spelling)).toMatchObject({ status: 200, rows: [{ word: 'a' }] })
    }
  })
})
