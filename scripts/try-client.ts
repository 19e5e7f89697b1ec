import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

const SERVICE = `
import Fastify from 'fastify'
import { createTables, crudPlugin, defineResources, ownedBy, owns } from 'fastify-crud'
import { openSqlite } from 'fastify-crud/sqlite'

const text = { type: 'string' }
const resources = defineResources({
  list: { fields: { title: text }, relations: { items: owns.many('item') }, history: true },
  item: { fields: { text }, relations: { list: ownedBy('list') } },
})
const db = openSqlite(':memory:', { resources })
await createTables(db, resources)
const app = Fastify({ forceCloseConnections: true })
await app.register(crudPlugin, { db, resources, changes: true, authorize: () => true })
console.log(await app.listen({ host: '127.0.0.1', port: 0 }))
`

const CLIENT = `
import assert from 'node:assert/strict'
import { ConflictError, createClient } from '@fastify-crud/client'
import { changes } from '@fastify-crud/client/changes'

assert.match(process.version, /^v22\\./)
const api = createClient({ url: process.argv[2] + '/api' })
const list = await api.list.create({ title: 'Saturday', items: [{ text: 'flour' }] })
const changed = await api.list.patch(list, { title: 'Sunday' })
await assert.rejects(api.list.patch(list, { title: 'Monday' }), ConflictError)
assert.deepEqual((await api.list.list({ filter: { title: 'Sunday' } })).rows.map(({ id }) => id), [list.id])
assert.deepEqual(await api.list.find(list.id), changed)
await api.list.delete(changed)
const told = []
for await (const { operation } of changes(api, { after: 0 })) {
  if (told.push(operation) === 3) break
}
assert.deepEqual(told, ['create', 'patch', 'delete'])
console.log('the packed client works in Node.js ' + process.version)
`

async function tooEarly(ended: Promise<unknown>): Promise<never> {
  await ended
  throw new Error('the service ended before it listened')
}

/** Uses the client that is installed in a folder in Node.js 22, with a service in the Node.js that runs this. */
export async function tryClient(folder: string): Promise<void> {
  writeFileSync(join(folder, 'service.js'), SERVICE)
  writeFileSync(join(folder, 'client.js'), CLIENT)
  const service = spawn(process.execPath, ['service.js'], { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = once(service, 'exit')
  try {
    const [origin] = (await Promise.race([once(createInterface(service.stdout), 'line'), tooEarly(ended)])) as [string]
    execFileSync('npx', ['--yes', 'node@22', 'client.js', origin], { cwd: folder, stdio: 'inherit' })
  } finally {
    service.kill()
    await ended
  }
}
