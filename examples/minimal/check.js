// Starts the server in an empty folder, asks it a few things, stops it.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

const cwd = await mkdtemp(join(tmpdir(), 'fastify-crud-minimal-'))
const server = spawn(process.execPath, ['--conditions=source', join(import.meta.dirname, 'server.js')], {
  cwd,
  env: { ...process.env, PORT: '0' },
  stdio: ['ignore', 'pipe', 'inherit'],
})

async function address() {
  for await (const line of createInterface(server.stdout)) {
    const found = /listening at (http:\/\/127\.0\.0\.1:\d+|http:\/\/\[::1\]:\d+)/.exec(line)
    if (found) return found[1]
  }
  throw new Error('the server ended before it listened')
}

async function ask(method, url, body) {
  const headers = body === undefined ? {} : { 'content-type': 'application/json' }
  const response = await fetch(url, { method, headers, body: JSON.stringify(body) })
  const text = await response.text()
  return { status: response.status, body: text === '' ? undefined : JSON.parse(text) }
}

try {
  const lists = `${await address()}/api/list`
  const created = await ask('POST', lists, {
    title: 'Saturday',
    items: [{ text: 'flour' }, { text: 'salt', done: true }],
  })
  assert.equal(created.status, 201)
  const { id, items } = created.body
  assert.deepEqual(
    items.map(({ text, done }) => [text, done]),
    [
      ['flour', false],
      ['salt', true],
    ],
  )
  assert.deepEqual((await ask('GET', `${lists}/${id}`)).body, created.body)
  assert.equal((await ask('PATCH', `${lists}/${id}/item/${items[0].id}`, { done: true })).body.done, true)
  assert.equal((await ask('PATCH', `${lists}/${id}`, { titel: 'Sunday' })).status, 400)
  assert.equal((await ask('DELETE', `${lists}/${id}`)).status, 204)
  assert.deepEqual((await ask('GET', lists)).body, { rows: [], count: 0 })
  console.log('minimal: all as it should be')
} finally {
  server.kill()
  await rm(cwd, { recursive: true, force: true, maxRetries: 5 })
}
