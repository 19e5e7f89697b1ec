import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { pathToFileURL } from 'node:url'

const examples = join(import.meta.dirname, '../examples')

/** How each example is tried, in its own folder. */
const TRIES: Readonly<Record<string, (folder: string) => void | Promise<void>>> = {
  minimal: (folder) => runNode('check.js', folder),
  organisations: (folder) => runNode('check.js', folder),
  tenants: (folder) => runNode('check.js', folder),
  memberships: (folder) => runNode('check.js', folder),
  'notes-app': (folder) => runNode('check.js', folder),
  'core-only': (folder) => runNode('src/main.ts', folder),
  bookshop: startAndStopBookshop,
}

/** Copies the examples to a folder outside of the workspace, installs them there with the packed packages, and starts each. */
export async function startExamples(folder: string, tarballs: readonly string[]): Promise<void> {
  for (const [name, attempt] of Object.entries(TRIES)) {
    const copy = join(folder, 'examples', name)
    const isSource = (path: string) => !/(?:node_modules|data|test)$/.test(path)
    cpSync(join(examples, name), copy, { recursive: true, filter: isSource })
    usePacked(join(copy, 'package.json'), folder, tarballs)
    const npm = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel', 'error']
    execFileSync('npm', npm, { cwd: copy, stdio: 'inherit' })
    await attempt(copy)
  }
}

/** Has an example use the tarballs, also for what our packages need of each other. */
function usePacked(file: string, folder: string, tarballs: readonly string[]): void {
  const manifest = JSON.parse(readFileSync(file, 'utf8')) as { dependencies: Record<string, string> }
  const packed = (name: RegExp) => `file:${join(folder, tarballs.find((tarball) => name.test(tarball)) as string)}`
  const needed = Object.keys(manifest.dependencies).filter((name) => name.startsWith('@fastify-crud/'))
  for (const name of new Set([...needed, ...['core', 'openapi', 'tables'].map((one) => `@fastify-crud/${one}`)])) {
    manifest.dependencies[name] = packed(new RegExp(`fastify-crud-${name.split('/')[1]}-`))
  }
  if ('fastify-crud' in manifest.dependencies) manifest.dependencies['fastify-crud'] = packed(/fastify-crud-\d/)
  writeFileSync(file, JSON.stringify(manifest))
}

function runNode(script: string, cwd: string): void {
  execFileSync(process.execPath, [script], { cwd, stdio: ['ignore', 'ignore', 'inherit'] })
}

async function startAndStopBookshop(folder: string): Promise<void> {
  const database = pathToFileURL(join(folder, 'shop.sqlite')).href
  const env = { ...process.env, PORT: '0', LOG_LEVEL: 'error', DATABASE_URL: database }
  const stdio = ['ignore', 'pipe', 'inherit'] as const
  const server = spawn(process.execPath, ['src/server.ts'], { cwd: folder, env, stdio: [...stdio] })
  const exit = once(server, 'exit')
  try {
    const books = await fetch(`${await originOf(server.stdout as NodeJS.ReadableStream)}/api/book`)
    if (books.status !== 200) throw new Error(`the bookshop answers ${books.status}`)
  } finally {
    server.kill('SIGTERM')
  }
  const [code] = await exit
  if (code !== 0) throw new Error(`the bookshop ended with ${code}`)
}

async function originOf(output: NodeJS.ReadableStream): Promise<string> {
  for await (const line of createInterface(output)) {
    const [origin] = /http:\/\/127\.0\.0\.1:\d+/.exec(line) ?? []
    if (origin !== undefined) return origin
  }
  throw new Error('the bookshop ended before it listened')
}
