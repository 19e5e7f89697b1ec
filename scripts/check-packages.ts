// Packs the packages as they would be published, and has publint and attw look at the tarballs. Then uses them in a
// folder outside of the workspace, in plain JavaScript and in TypeScript: without TypeBox, and with either package of it; with
// one of the two drivers, without their types. At last it starts the examples.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startExamples } from './start-examples.ts'

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
}

/** With both versions of TypeScript that users have, and whether they check the libraries' types or not. */
function compile(file: string, program: string): void {
  writeFileSync(join(folder, file), program)
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: OPTIONS, files: [file] }))
  for (const version of ['typescript', 'typescript-5']) {
    const compiler = join(root, 'node_modules', version, 'bin/tsc')
    for (const more of [[], ['--skipLibCheck']]) run(process.execPath, [compiler, ...more], folder)
  }
}

try {
  for (const name of ['core', 'openapi', 'tables', 'fastify-crud']) {
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
  use(undefined)
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
