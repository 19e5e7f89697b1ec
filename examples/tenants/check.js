// Starts the server in an empty folder, has people of two organisations use it, stops it.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

const cwd = await mkdtemp(join(tmpdir(), 'fastify-crud-tenants-'))
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

  async function ask(user, organisation, method, path, status, body) {
    const headers = {
      ...(user && { 'x-user': `${user}@example.org` }),
      ...(organisation && { 'x-organisation': organisation.id }),
      ...(body && { 'content-type': 'application/json' }),
    }
    const response = await fetch(`${origin}${path}`, { method, headers, body: JSON.stringify(body) })
    const text = await response.text()
    assert.equal(response.status, status, `${user}: ${method} ${path}: ${text}`)
    return text === '' ? undefined : JSON.parse(text)
  }

  // Ada and Eve sign up, each with an organisation of her own. Without a name, nothing is made.
  await ask(undefined, undefined, 'POST', '/api/organisation', 401, { name: 'Ink' })
  await ask('ada', undefined, 'POST', '/api/organisation', 400, { name: '' })
  const ink = await ask('ada', undefined, 'POST', '/api/organisation', 201, { name: 'Ink' })
  const nib = await ask('eve', undefined, 'POST', '/api/organisation', 201, { name: 'Nib' })
  assert.deepEqual((await ask('ada', ink, 'GET', '/api/organisation', 200)).rows, [ink])
  await ask('ada', nib, 'GET', '/api/organisation', 403)
  await ask('ada', { id: 'abc' }, 'GET', '/api/organisation', 403)
  await ask('ada', undefined, 'GET', '/api/project', 403)

  // Ada invites Ben, who writes, and Eve, who reads there.
  const ben = await ask('ada', ink, 'POST', '/api/member', 201, { email: 'ben@example.org', role: 'editor' })
  await ask('ada', ink, 'POST', '/api/member', 201, { email: 'eve@example.org', role: 'viewer' })
  await ask('ada', ink, 'POST', '/api/member', 400, { email: 'cy@example.org', role: 'king' })
  await ask('ada', ink, 'POST', '/api/member', 409, { email: 'ben@example.org', role: 'viewer' })
  await ask('ben', ink, 'POST', '/api/member', 403, { email: 'cy@example.org', role: 'viewer' })
  assert.equal((await ask('ben', ink, 'GET', '/api/person', 200)).count, 3)
  assert.equal((await ask('eve', nib, 'GET', '/api/person', 200)).count, 1)

  // Both organisations have a project "Intern". Roles are those that a person has in the organisation.
  const intern = { name: 'Intern', tasks: [{ title: 'Begin', assigneeId: ben.id }] }
  const { id, organisationId } = await ask('ben', ink, 'POST', '/api/project', 201, intern)
  assert.equal(organisationId, ink.id)
  await ask('eve', ink, 'PATCH', `/api/project/${id}`, 403, { name: 'Mine' })
  await ask('eve', nib, 'GET', `/api/project/${id}`, 404)
  await ask('eve', nib, 'POST', '/api/project', 400, intern)
  await ask('eve', nib, 'POST', '/api/project', 201, { name: 'Intern', tasks: [] })
  await ask('ben', ink, 'POST', '/api/project', 409, { name: 'Intern', tasks: [] })
  await ask('ben', ink, 'PATCH', `/api/project/${id}`, 400, { organisationId: nib.id })

  // An admin lists the projects of all, and removes an organisation.
  await ask('ada', undefined, 'GET', '/admin/projects', 403)
  const all = await ask('admin', undefined, 'GET', '/admin/projects', 200)
  assert.deepEqual(new Set(all.rows.map((project) => project.organisationId)), new Set([ink.id, nib.id]))
  await ask('admin', undefined, 'DELETE', `/admin/organisations/${ink.id}`, 204)
  await ask('ada', ink, 'GET', '/api/project', 403)
  assert.equal((await ask('eve', nib, 'GET', '/api/project', 200)).count, 1)
  console.log('tenants: all as it should be')
} finally {
  server.kill()
  await rm(cwd, { recursive: true, force: true, maxRetries: 5 })
}
