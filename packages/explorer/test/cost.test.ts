import { execFileSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makePage } from './app-with.ts'

const root = join(import.meta.dirname, '../../..')

let folder: string
beforeAll(() => {
  folder = makePage()
})
afterAll(() => rmSync(folder, { recursive: true }))

/** Notes each module that a process loads, and each file that it asks the disk for. */
const NOTES = `
import fs from 'node:fs'
import { registerHooks, syncBuiltinESMExports } from 'node:module'
const modules = []
const files = []
registerHooks({ load: (url, context, next) => (modules.push(url), next(url, context)) })
for (const name of ['readFileSync', 'readdirSync', 'existsSync', 'statSync']) {
  const real = fs[name]
  fs[name] = (path, ...more) => (files.push(String(path)), real(path, ...more))
}
const { readFile } = fs.promises
fs.promises.readFile = (path, ...more) => (files.push(String(path)), readFile(path, ...more))
syncBuiltinESMExports()
`

/** What a process of its own says that runs this program, from the sources. */
function notesOf(program: string): { modules: string[]; files: string[] } {
  const code = `${NOTES}${program}\nconsole.log(JSON.stringify({ modules, files }))`
  const node = ['--conditions=source', '--no-warnings', '--input-type=module', '-e', code]
  return JSON.parse(execFileSync(process.execPath, node, { cwd: root, encoding: 'utf8' }))
}

const isOfExplorer = (name: string) => name.includes('/packages/explorer/')

test('who does not import the explorer loads nothing of it', () => {
  const { modules, files } = notesOf("await import('fastify-crud')")
  expect(modules.length).toBeGreaterThan(100)
  expect([...modules, ...files].filter(isOfExplorer)).toEqual([])
})

test('who does loads its five files, and reads the HTML of the page and the names of its files at start, once', () => {
  const { modules, files } = notesOf(`
await import('fastify')
modules.length = 0
await import('@fastify-crud/explorer')
const { default: Fastify } = await import('fastify')
const { serveExplorer } = await import('./packages/explorer/src/explorer.ts')
const app = Fastify()
files.length = 0
await app.register(async (scope) => serveExplorer(scope, {}, ${JSON.stringify(folder)}))
await app.ready()
`)
  expect(
    modules
      .filter(isOfExplorer)
      .map((url) => url.split('/packages/explorer/')[1])
      .sort(),
  ).toEqual([
    ...['src/developers-machine.ts', 'src/explorer.ts', 'src/index.ts', 'src/options.ts', 'src/page-files.ts'],
  ])
  expect(files.map((file) => file.slice(folder.length)).sort()).toEqual(['/assets', '/index.html', '/index.html'])
})
