// Starts the server in an empty folder, has people sign in and invite each other, stops it.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

const cwd = await mkdtemp(join(tmpdir(), 'fastify-crud-memberships-'))
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

  async function ask(token, organisation, method, path, status, body) {
    const headers = {
      ...(token && { authorization: `Bearer ${token}` }),
      ...(organisation && { 'x-organisation': organisation.id }),
      ...(body && { 'content-type': 'application/json' }),
    }
    const response = await fetch(`${origin}${path}`, { method, headers, body: JSON.stringify(body) })
    const text = await response.text()
    assert.equal(response.status, status, `${method} ${path}: ${text}`)
    return text === '' ? undefined : JSON.parse(text)
  }

  const nobody = undefined
  const of = (name) => ({ email: `${name}@example.org`, password: `${name}${name}${name}` })
  const signUp = async (name) => (await ask(nobody, nobody, 'POST', '/sign-up', 201, of(name))).token

  // A token comes of a password. One that somebody else has signed is none.
  await signUp('ada')
  await ask(nobody, nobody, 'POST', '/sign-in', 401, { ...of('ada'), password: 'guessed it' })
  await ask(nobody, nobody, 'POST', '/sign-in', 401, of('nobody'))
  await ask(nobody, nobody, 'POST', '/sign-up', 409, of('ada'))
  const { token: ada } = await ask(nobody, nobody, 'POST', '/sign-in', 200, of('ada'))
  const [head, payload, signature] = ada.split('.')
  const forged = { ...JSON.parse(Buffer.from(payload, 'base64url')), email: 'eve@example.org' }
  const mallory = [head, Buffer.from(JSON.stringify(forged)).toString('base64url'), signature].join('.')
  await ask(mallory, nobody, 'GET', '/my-organisations', 401)
  await ask(mallory, nobody, 'GET', '/api/project', 401)
  await ask(nobody, nobody, 'GET', '/api/project', 401)

  // Ada and Eve have an organisation each. Nobody sees that of the other.
  const eve = await signUp('eve')
  const ink = await ask(ada, nobody, 'POST', '/my-organisations', 201, { name: 'Ink' })
  const nib = await ask(eve, nobody, 'POST', '/my-organisations', 201, { name: 'Nib' })
  await ask(ada, nobody, 'GET', '/api/project', 403)
  await ask(ada, nib, 'GET', '/api/project', 403)
  await ask(ada, { id: 'abc' }, 'GET', '/api/project', 404)
  assert.deepEqual((await ask(ada, ink, 'GET', '/api/organisation', 200)).rows, [ink])

  // Ada invites Ben, who has no user yet. Who is invited sees that, and nothing else.
  const invite = '/api/membership/$act/invite'
  const { id } = await ask(ada, ink, 'POST', invite, 200, { email: 'ben@example.org', role: 'editor' })
  await ask(ada, ink, 'POST', invite, 409, { email: 'ben@example.org', role: 'viewer' })
  await ask(ada, ink, 'POST', invite, 400, { email: 'ben', role: 'king' })
  const ben = await signUp('ben')
  const [invitation] = await ask(ben, nobody, 'GET', '/my-organisations', 200)
  assert.deepEqual(invitation, { id: ink.id, name: 'Ink', membershipId: id, role: 'editor' })
  assert.equal((await ask(ben, ink, 'GET', '/api/membership', 200)).count, 1)
  assert.equal((await ask(ben, ink, 'GET', '/api/project', 200)).count, 0)
  await ask(ben, ink, 'PATCH', `/api/membership/${id}`, 403, { role: 'owner' })
  await ask(ben, ink, 'POST', invite, 403, { email: 'cy@example.org', role: 'owner' })

  // Ben accepts, once and for himself, and is an editor from then on.
  const accept = `/api/membership/${id}/$act/accept`
  await ask(eve, nib, 'POST', accept, 404)
  await ask(ada, ink, 'POST', accept, 409)
  const accepted = await ask(ben, ink, 'POST', accept, 200)
  assert.deepEqual([accepted.role, accepted.user.email], ['editor', 'ben@example.org'])
  await ask(ben, ink, 'POST', accept, 409)
  const project = await ask(ben, ink, 'POST', '/api/project', 201, { name: 'Intern', tasks: [{ title: 'Begin' }] })
  assert.equal(project.organisationId, ink.id)
  await ask(ben, ink, 'POST', invite, 403, { email: 'cy@example.org', role: 'owner' })
  await ask(eve, nib, 'GET', `/api/project/${project.id}`, 404)
  await ask(eve, nib, 'POST', '/api/project', 201, { name: 'Intern', tasks: [] })

  // Rights are those of the membership as it is now, whatever the token says.
  await ask(ada, ink, 'PATCH', `/api/membership/${id}`, 200, { role: 'viewer' })
  await ask(ben, ink, 'PATCH', `/api/project/${project.id}`, 403, { name: 'Mine' })
  await ask(ada, ink, 'DELETE', `/api/membership/${id}`, 204)
  await ask(ben, ink, 'GET', '/api/project', 403)
  assert.deepEqual(await ask(ben, nobody, 'GET', '/my-organisations', 200), [])
  console.log('memberships: all as it should be')
} finally {
  server.kill()
  await rm(cwd, { recursive: true, force: true, maxRetries: 5 })
}
