// Starts the server in an empty folder, has three people use it, stops it.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

const cwd = await mkdtemp(join(tmpdir(), 'fastify-crud-organisations-'))
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

try {
  const origin = await address()

  async function ask(user, method, path, status, body) {
    const headers = { 'x-user': user, ...(body && { 'content-type': 'application/json' }) }
    const response = await fetch(`${origin}/api${path}`, { method, headers, body: JSON.stringify(body) })
    const text = await response.text()
    assert.equal(response.status, status, `${user}: ${method} ${path}: ${text}`)
    return text === '' ? undefined : JSON.parse(text)
  }

  await ask('mallory', 'GET', '/document', 401)

  // Ben writes for his organisation, and for no other one.
  const plan = { title: 'Plan', organisationId: 1, authorId: 2 }
  const { id } = await ask('ben', 'POST', '/document', 201, plan)
  await ask('ben', 'POST', '/document', 403, { ...plan, title: 'By ada', authorId: 1 })
  await ask('ben', 'POST', '/document', 400, { ...plan, organisationId: 2 })
  await ask('ben', 'PATCH', `/document/${id}`, 200, { title: 'Better plan' })
  await ask('ben', 'PATCH', `/document/${id}`, 400, { organisationId: 2 })

  // Eve sees nothing of it until Ben shares it. She has a document of the same title.
  assert.deepEqual(await ask('eve', 'GET', '/document', 200), { rows: [], count: 0 })
  await ask('eve', 'GET', `/document/${id}`, 404)
  await ask('eve', 'POST', '/document', 201, { title: 'Better plan', organisationId: 2, authorId: 3 })
  await ask('ben', 'POST', `/document/${id}/guest`, 201, { userId: 3 })
  const shared = await ask('eve', 'GET', `/document/${id}`, 200)
  assert.deepEqual([shared.title, shared.organisationId, shared.organisation], ['Better plan', 1, null])
  assert.equal((await ask('eve', 'GET', '/document', 200)).count, 2)

  // A guest reads, and no more.
  await ask('eve', 'PATCH', `/document/${id}`, 403, { title: 'Mine' })
  await ask('eve', 'POST', `/document/${id}/guest`, 403, { userId: 4 })
  await ask('eve', 'DELETE', `/document/${id}`, 403)

  // Ada is no author, but an admin of the organisation.
  const byAda = await ask('ada', 'POST', '/document', 201, { title: 'Rules', organisationId: 1, authorId: 1 })
  await ask('ben', 'PATCH', `/document/${byAda.id}`, 200, { title: 'House rules' })
  await ask('ben', 'PATCH', `/document/${byAda.id}`, 403, { guests: [{ userId: 2 }] })
  await ask('ben', 'DELETE', `/document/${byAda.id}`, 403)
  await ask('ada', 'DELETE', `/document/${id}`, 204)
  await ask('eve', 'GET', `/document/${id}`, 404)
  console.log('organisations: all as it should be')
} finally {
  server.kill()
  await rm(cwd, { recursive: true, force: true, maxRetries: 5 })
}
