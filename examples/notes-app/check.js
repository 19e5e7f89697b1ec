// Builds the page, starts service and page in an empty folder, asks them a few things, stops them.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { build } from 'vite'

const folder = import.meta.dirname
const cwd = await mkdtemp(join(tmpdir(), 'fastify-crud-notes-'))
await build({ configFile: join(folder, 'vite.config.ts'), logLevel: 'error', build: { outDir: join(cwd, 'dist') } })

const server = spawn(process.execPath, ['--conditions=source', join(folder, 'server/dev.ts')], {
  cwd,
  env: { ...process.env, PORT: '0', DATABASE: join(cwd, 'notes.sqlite') },
  stdio: ['ignore', 'pipe', 'inherit'],
})
const exit = once(server, 'exit')

async function originOf(output) {
  for await (const line of createInterface(output)) {
    const [origin] = /http:\/\/127\.0\.0\.1:\d+/.exec(line) ?? []
    if (origin !== undefined) return origin
  }
  throw new Error('the server ended before it listened')
}

try {
  const origin = await originOf(server.stdout)
  const page = await (await fetch(origin, { headers: { accept: 'text/html' } })).text()
  assert.match(page, /<title>Notes<\/title>/)
  assert.match(await (await fetch(`${origin}/main.tsx`)).text(), /createRoot/)
  const notes = await (await fetch(`${origin}/api/note?search=bread`)).json()
  assert.equal(notes.rows[0].title, 'Rye bread')
  const changes = await fetch(`${origin}/api/$changes`)
  assert.equal(changes.headers.get('content-type'), 'text/event-stream; charset=utf-8')
  await changes.body.cancel()
  console.log('notes-app: all as it should be')
} finally {
  server.kill()
  await exit
  await rm(cwd, { recursive: true, force: true, maxRetries: 5 })
}
