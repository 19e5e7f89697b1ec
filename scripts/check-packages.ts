// Packs the packages as they would be published, and has publint and attw look at the tarballs. Then uses them in a
// folder outside of the workspace, in plain JavaScript and in TypeScript: without TypeBox, and with either package of it; with
// one of the two drivers, without their types; the client in Node.js 22. At last it starts the examples.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startExamples } from './start-examples.ts'
import { tryClient } from './try-client.ts'

const root = join(import.meta.dirname, '..')
const folder = mkdtempSync(join(tmpdir(), 'fastify-crud-packed-'))

function run(command: string, args: readonly string[], cwd: string): void {
  execFileSync(command, args, { cwd, stdio: 'inherit' })
}

const JAVASCRIPT = `
import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { Type } from 'TYPEBOX'
import Fastify from 'fastify'
import crudPlugin, { createStore, createTables, defineResources, ownedBy, owns } from 'fastify-crud'
import { openSqlite } from 'fastify-crud/sqlite'
import { crudMcp } from '@fastify-crud/mcp'

const resources = defineResources({
  list: { fields: { title: Type.String(), note: Type.Optional(Type.String()) }, relations: { items: owns.many('item') } },
  item: { fields: { text: Type.String() }, relations: { list: ownedBy('list') } },
})
const db = openSqlite(':memory:', { resources })
await createTables(db, resources)
const app = Fastify()
await app.register(crudPlugin, { db, resources })
const created = await app.inject({ method: 'POST', url: '/api/list', payload: { title: 'T', items: [{ text: 'a' }] } })
assert.equal(created.statusCode, 201)
assert.deepEqual(created.json(), { id: 1, title: 'T', note: null, items: [{ id: 1, text: 'a' }] })
await app.close()
await db.destroy()

// A file that is large enough for a thread to read it.
const threads = []
process.on('worker', (thread) => threads.push(thread))
for (const end of ['', '-wal', '-shm']) rmSync('lists.sqlite' + end, { force: true })
const file = openSqlite('lists.sqlite', { resources })
await createTables(file, resources)
await file.insertInto('list').values({ title: 'Große Liste', note: 'x'.repeat(6_000_000) }).execute()
const lists = createStore({ db: file, resources }).resource('list')
const { count } = await lists.list({ filter: { title: { icontains: 'GROSSE' } }, fields: ['title'] })
const found = await lists.list({ filter: { title: { icontains: 'GROßE' } }, fields: ['title'] })
assert.deepEqual([count, found.count, threads.length], [0, 1, 1])
await file.destroy()

const served = Fastify()
await served.register(crudPlugin, { db: openSqlite(':memory:', { resources }), resources, tables: 'off' })
await served.register(crudMcp)
const tools = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }
const accept = 'application/json, text/event-stream'
const offered = await served.inject({ method: 'POST', url: '/mcp', payload: tools, headers: { accept } })
assert.match(offered.body, /"describe"/)
await served.close()
console.log('the packed packages work in plain JavaScript')
`

const TYPESCRIPT = `
import {
  type CreateBody,
  createStore,
  defineResources,
  field,
  knows,
  neededBy,
  needs,
  ownedBy,
  owns,
  type RecordOf,
} from '@fastify-crud/core'
import { Type } from 'TYPEBOX'
import Fastify from 'fastify'
import { crudPlugin, type Store } from 'fastify-crud'
import { openSqlite } from 'fastify-crud/sqlite'

// What is exported is in the declarations, too, with every type named.
export const resources = defineResources({
  list: { fields: { title: Type.String(), note: Type.Optional(Type.String()) }, relations: { items: owns.many('item') } },
  item: { fields: { text: Type.String() }, relations: { list: ownedBy('list') } },
  shop: {
    fields: { rank: field(Type.Integer(), { default: 1 }) },
    relations: {
      sign: owns.one('sign', { required: true }),
      town: needs.one('town', { foreignKey: 'townId' }),
      makers: needs.many('maker'),
      friend: knows.one('shop'),
      lists: knows.many('list'),
    },
  },
  sign: { fields: { text: Type.String() }, relations: { shop: ownedBy('shop') } },
  town: { fields: { name: Type.String() }, relations: { shops: neededBy.many('shop') } },
  maker: { fields: { name: Type.String() }, relations: { shop: neededBy.one('shop') } },
})
type Resources = typeof resources
export const db = openSqlite(':memory:', { resources })
declare module 'fastify' { interface FastifyInstance { crud: Store<typeof resources> } }
const app = Fastify()
await app.register(crudPlugin, {
  db,
  resources,
  handlers: {
    list: {
      findOne: {
        access: { action: 'View', id: 'id' },
        async handler(_request, reply, next) {
          reply.header('x-title', (await next()).title)
        },
      },
    },
  },
})
// @ts-expect-error there is no such resource
await app.register(crudPlugin, { db, resources, handlers: { lsit: {} } })
export const found: Promise<RecordOf<Resources, 'list'>> = app.crud.list.find(1)
// @ts-expect-error there is no such resource
app.crud.lsit
const body: CreateBody<Resources, 'list'> = { title: 'T', items: [{ text: 'a' }] }
export const store = createStore({ db, resources })
export const shops = store.resource('shop')
// 'rank' has a default
export const shop: CreateBody<Resources, 'shop'> = { sign: { text: 'S' }, townId: 1, makers: [{ id: 1 }] }
const record: Promise<RecordOf<Resources, 'list'>> = store.resource('list').create(body)
export const text: Promise<string | undefined> = record.then((list) => list.items[0]?.text)
export const note: Promise<string | null> = record.then((list) => list.note)
// @ts-expect-error a value of another type: what is inferred is not 'any'
export const number: Promise<number> = record.then((list) => list.title)
export const flags: Promise<{ rank: number }[]> = db.selectFrom('shop').select('rank').execute()
// @ts-expect-error a column that is not there
db.selectFrom('list').select('titel')
// @ts-expect-error a field that is not declared
export const wrong: CreateBody<Resources, 'list'> = { titel: 'T' }
`

/** For an application without better-sqlite3. */
const WITH_POSTGRES = `
import { openPostgres } from 'fastify-crud/postgres'

export const db = openPostgres<{ book: { title: string } }>('postgres://localhost/books', { max: 3, ssl: false })
export const titles = () => db.selectFrom('book').select('title').execute()
// @ts-expect-error a column that is not there
export const wrong = () => db.selectFrom('book').select('titel').execute()
// @ts-expect-error an option that is not there
openPostgres('postgres://localhost/books', { maximum: 3 })
await db.destroy()
`

/** The command that comes with the package. */
function useCommand(): void {
  const tables = 'create table book (id integer primary key autoincrement, title text not null)'
  writeFileSync(
    join(folder, 'make.js'),
    `import SqliteDriver from 'better-sqlite3'; new SqliteDriver('books.sqlite').exec('${tables}')`,
  )
  run(process.execPath, ['make.js'], folder)
  const command = ['fastify-crud', 'introspect', '--db', 'books.sqlite']
  writeFileSync(join(folder, 'resources.ts'), execFileSync('npx', command, { cwd: folder }))
  run('npx', ['fastify-crud', 'check', '--db', 'books.sqlite', '--resources', 'resources.ts'], folder)
}

/** A front end: it has the DOM and nothing of Node.js, and the model's types from its sources or its declarations. */
const FRONT_END = `
import { ConflictError, createClient } from '@fastify-crud/client'
import type { resources } from 'MODEL'

export const api = createClient<typeof resources>({ url: '/api' })
export async function rename(id: number, title: string): Promise<string | null> {
  const list = await api.list.find(id)
  try {
    const { note, items } = await api.list.patch(list, { title, items: [{ text: 'a' }] })
    document.title = items.map(({ text }) => text.trim()).join()
    return note
  } catch (error) {
    return error instanceof ConflictError ? error.code : null
  }
}
// @ts-expect-error no such field
export const wrong = () => api.list.list({ filter: { titel: 'a' } })
// @ts-expect-error a title is a text
export const misfit = () => api.list.create({ title: 1 })
`

const MODEL = `
import { defineResources, ownedBy, owns } from '@fastify-crud/core'
import { Type } from 'TYPEBOX'

export const resources = defineResources({
  list: { fields: { title: Type.String(), note: Type.Optional(Type.String()) }, relations: { items: owns.many('item') } },
  item: { fields: { text: Type.String() }, relations: { list: ownedBy('list') } },
})
`

/** With the model's sources, and with the declarations that the compiler makes of them. */
function compileFrontEnd(from: (program: string) => string): void {
  writeFileSync(join(folder, 'model.ts'), from(MODEL))
  const options = { ...OPTIONS, lib: ['es2024', 'dom'] }
  compile('front-end.ts', FRONT_END.replace('MODEL', './model.js'), options)
  compile('front-end.ts', FRONT_END.replace('MODEL', './built/model.js'), options)
}

/** An application that a bundler makes one file of. The thread that reads has to start from there, too. */
const BUNDLED = `
import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { createStore, createTables, defineResources, CrudError } from 'fastify-crud'
import { openSqlite } from 'fastify-crud/sqlite'

async function main() {
  const resources = defineResources({ list: { fields: { title: { type: 'string' }, note: { type: 'string' } } } })
  const threads = []
  process.on('worker', (thread) => threads.push(thread))
  for (const end of ['', '-wal', '-shm']) rmSync('bundled.sqlite' + end, { force: true })
  const db = openSqlite('bundled.sqlite', { resources })
  await createTables(db, resources)
  await db.insertInto('list').values({ title: 'Large', note: 'x'.repeat(6_000_000) }).execute()
  const lists = createStore({ db, resources }).resource('list')
  const { count } = await lists.list({ filter: { title: { icontains: 'LARGE' } }, fields: ['title'] })
  assert.deepEqual([count, threads.length], [1, 1])
  assert.ok((await lists.find(2).catch((error) => error)) instanceof CrudError)
  await db.destroy()
}
main()
`

/** Modules of CommonJS that end up in a module of ECMAScript have no `require` of their own. */
const REQUIRE = 'import{createRequire as makeRequire}from"node:module";const require=makeRequire(import.meta.url);'

/** tsup and Vite leave out what an application depends on, unless it is named. */
const BUNDLER_CONFIGS: Readonly<Record<string, string>> = {
  'tsup.config.js': `export default {
    entry: { tsup: 'bundled.js' },
    outDir: 'bundled',
    noExternal: [/fastify-crud/],
    external: ['better-sqlite3'],
    banner: ({ format }) => (format === 'esm' ? { js: '${REQUIRE}' } : {}),
    outExtension: ({ format }) => ({ js: format === 'esm' ? '.mjs' : '.cjs' }),
    clean: false,
    silent: true,
  }`,
  'vite.config.js': `export default {
    build: { ssr: 'bundled.js', outDir: 'bundled', emptyOutDir: false, rollupOptions: { output: { entryFileNames: 'vite.mjs' } } },
    ssr: { noExternal: [/fastify-crud/], external: ['better-sqlite3'] },
    logLevel: 'error',
  }`,
}

/** What people make one file with. The driver stays outside, as its documentation says. */
const BUNDLERS: Readonly<Record<string, readonly string[]>> = {
  'esbuild.mjs': [
    ...['esbuild', 'bundled.js', '--bundle', '--platform=node', '--format=esm', '--external:better-sqlite3'],
    ...['--outfile=bundled/esbuild.mjs', '--log-level=error', `--banner:js=${REQUIRE}`],
  ],
  'esbuild.cjs': [
    ...['esbuild', 'bundled.js', '--bundle', '--platform=node', '--format=cjs', '--external:better-sqlite3'],
    ...['--outfile=bundled/esbuild.cjs', '--log-level=error'],
  ],
  'rollup.mjs': [
    ...['rollup', 'bundled.js', '-o', 'bundled/rollup.mjs', '-f', 'es', '--inlineDynamicImports', '--silent'],
    ...[
      '-e',
      'better-sqlite3,kysely,ajv,ajv/dist/2019.js,ajv-formats,uuid,fastify,fastify-plugin',
      '-p',
      'node-resolve',
    ],
  ],
  'tsup.mjs': ['tsup', '--format', 'esm'],
  'tsup.cjs': ['tsup', '--format', 'cjs'],
  'vite.mjs': ['vite', 'build'],
}

function useBundlers(npm: readonly string[]): void {
  const bundlers = ['esbuild', 'rollup', '@rollup/plugin-node-resolve', 'tsup', 'typescript@5', 'vite']
  run('npm', ['install', ...npm, ...bundlers], folder)
  for (const [file, text] of Object.entries({ 'bundled.js': BUNDLED, ...BUNDLER_CONFIGS }))
    writeFileSync(join(folder, file), text)
  for (const [made, command] of Object.entries(BUNDLERS)) {
    run('npx', command, folder)
    run(process.execPath, [join('bundled', made)], folder)
    process.stdout.write(`the bundle ${made} works, and so does its thread\n`)
  }
}

/** How many times as long as Fastify the plugin may take to load, and how large the four packages may be on disk. */
const MOST = { times: 3, megabytes: 4 }

/** Kysely and Fastify are there already: an application has them anyway. */
const LOAD = `
const before = performance.now()
await import('fastify')
const fastify = performance.now() - before
await import('kysely')
const begun = performance.now()
await import('fastify-crud')
console.log(JSON.stringify({ fastify, plugin: performance.now() - begun }))
`

function checkSize(): void {
  const folders = ['@fastify-crud/core', '@fastify-crud/openapi', '@fastify-crud/tables', 'fastify-crud']
  const paths = folders.map((name) => join(folder, 'node_modules', name))
  const sizes = execFileSync('du', ['-sk', ...paths], { encoding: 'utf8' })
    .trim()
    .split('\n')
  const kilobytes = sizes.map((line) => Number.parseInt(line, 10)).reduce((sum, size) => sum + size, 0)
  writeFileSync(join(folder, 'load.js'), LOAD)
  const loads = [1, 2, 3, 4, 5].map(() =>
    JSON.parse(execFileSync(process.execPath, ['load.js'], { cwd: folder, encoding: 'utf8' })),
  )
  const times = loads.map(({ plugin, fastify }) => plugin / fastify).sort((one, other) => one - other)[2] as number
  process.stdout.write(`installed: ${kilobytes} kB; loads in ${times.toFixed(1)} times Fastify's own time\n`)
  if (kilobytes > MOST.megabytes * 1024) throw new Error(`the packages are larger than ${MOST.megabytes} MB`)
  if (times > MOST.times) throw new Error(`the plugin takes more than ${MOST.times} times as long to load as Fastify`)
}

const OPTIONS = { declaration: true, outDir: 'built', strict: true, module: 'nodenext', target: 'es2024', types: [] }

const SCHEMAS = `
const Type = {
  String: () => ({ type: 'string' }) as const,
  Integer: () => ({ type: 'integer' }) as const,
  Optional: (_schema = {}) => ({ type: ['string', 'null'], default: null }) as const,
}`

/** Both programs with `Type` from that package, or with plain JSON Schema. */
function use(typebox: string | undefined): void {
  const from = (program: string): string =>
    typebox === undefined
      ? program.replace("import { Type } from 'TYPEBOX'", SCHEMAS)
      : program.replace('TYPEBOX', typebox)
  writeFileSync(join(folder, 'app.js'), from(JAVASCRIPT).replaceAll(' as const', ''))
  run(process.execPath, ['app.js'], folder)
  compile('app.ts', from(TYPESCRIPT))
  compileFrontEnd(from)
}

/** With both versions of TypeScript that users have, and whether they check the libraries' types or not. */
function compile(file: string, program: string, options: object = OPTIONS): void {
  writeFileSync(join(folder, file), program)
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: options, files: [file] }))
  for (const version of ['typescript', 'typescript-5']) {
    const compiler = join(root, 'node_modules', version, 'bin/tsc')
    for (const more of [[], ['--skipLibCheck']]) run(process.execPath, [compiler, ...more], folder)
  }
}

try {
  for (const name of [
    'core',
    'openapi',
    'tables',
    'client',
    'react-admin',
    'refine',
    'explorer',
    'fastify-crud',
    'mcp',
  ]) {
    const cwd = join(root, 'packages', name)
    run('pnpm', ['pack', '--pack-destination', folder], cwd)
    run(join(root, 'node_modules/.bin/publint'), ['--strict'], cwd)
  }
  const tarballs = readdirSync(folder).map((name) => `./${name}`)
  for (const tarball of tarballs) run(join(root, 'node_modules/.bin/attw'), [tarball, '--profile', 'esm-only'], folder)

  const versions = ['fastify@5', 'kysely@0.29', 'better-sqlite3@13', '@types/node@24']
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, type: 'module' }))
  const npm = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel', 'error']
  run('npm', ['install', ...npm, ...tarballs, ...versions], folder)
  checkSize()
  use(undefined)
  await tryClient(folder)
  useBundlers(npm)
  for (const [name, version] of [
    ['@sinclair/typebox', '0.34'],
    ['typebox', '1'],
  ] as const) {
    run('npm', ['install', ...npm, `${name}@${version}`], folder)
    use(name)
    if (name === '@sinclair/typebox') useCommand()
    run('npm', ['uninstall', ...npm, name], folder)
  }
  run('npm', ['uninstall', ...npm, 'better-sqlite3'], folder)
  run('npm', ['install', ...npm, 'pg@8'], folder)
  compile('postgres.ts', WITH_POSTGRES)
  run(process.execPath, ['built/postgres.js'], folder)
  await startExamples(folder, tarballs)
} finally {
  rmSync(folder, { recursive: true, force: true })
}
