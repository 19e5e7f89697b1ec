import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { databases, type OpenDatabase } from '../../../../test/support/databases.ts'
import { runDdl } from '../../../fastify-crud/test/databases/introspect/introspected-service.ts'
import { run } from './run.ts'

const TABLES = {
  postgres: `
    create table author (id bigserial primary key, name text not null);
    create table book (id bigserial primary key, title text not null, author_id bigint not null references author);
    create table schema_migrations (version text primary key);
  `,
  sqlite: `
    create table author (id integer primary key autoincrement, name text not null);
    create table book (id integer primary key autoincrement, title text not null, author_id integer not null references author);
    create table schema_migrations (version text primary key);
  `,
}

let folder: string
beforeAll(async () => {
  // In the workspace, so that modules in it find the packages.
  folder = await mkdtemp(join(import.meta.dirname, '.printed-'))
})
afterAll(() => rm(folder, { recursive: true }))

test('--version prints the version of the package', async () => {
  const { version } = createRequire(import.meta.url)('fastify-crud/package.json') as { readonly version: string }
  expect(await run(['--version'], folder)).toEqual({ code: 0, out: `${version}\n`, err: '' })
})

describe.each(databases)('the command ($name)', (database) => {
  let open: OpenDatabase
  beforeEach(async () => {
    open = await database.open()
    await runDdl(open, TABLES[database.name])
  })
  afterEach(() => open.close())

  test('introspect prints descriptors, and says what became of the tables', async () => {
    const { code, out, err } = await run(['introspect', '--db', open.location], folder)
    expect(err).toBe(
      '3 tables: 2 resources, 0 tables of links, 1 left out\n  schema_migrations: it looks like a table of migrations\n',
    )
    expect(code).toBe(0)
    expect(out).toContain("author: needs.one('author', { foreignKey: 'author_id' })")
    expect(out).toContain('// - "schema_migrations": it looks like a table of migrations')
  })

  test('check accepts the tables whose descriptors introspect has printed, in JavaScript and in TypeScript', async () => {
    const { out } = await run(['introspect'], folder, { DATABASE_URL: open.location })
    for (const file of ['resources.js', 'resources.ts', 'resources.mjs']) {
      await writeFile(join(folder, file), out)
      const checked = await run(['check', '--db', open.location, '--resources', file], folder)
      expect(checked).toMatchObject({ code: 0, err: '' })
      expect(checked.out).toMatch(/^warning .*has no index.*\n(?:warning .*\n)*0 errors, 1 warning\n$/)
    }
  })

  test('check ends with 1 where the service would not work, and --json has the findings as data', async () => {
    const { out } = await run(['introspect', '--db', open.location, '--only', 'author'], folder)
    await writeFile(join(folder, 'resources.js'), out.replace('name: Type.String()', 'title: Type.String()'))
    const checked = await run(['check', '--db', open.location, '--resources', 'resources.js'], folder)
    expect(checked.code).toBe(1)
    expect(checked.out).toMatch(/^error {3}.*author\.title is missing/m)
    const { code, out: json } = await run(
      ['check', '--db', open.location, '--resources', 'resources.js', '--json'],
      folder,
    )
    expect(code).toBe(1)
    expect(JSON.parse(json)).toContainEqual(
      expect.objectContaining({ kind: 'column', severity: 'error', table: 'author', column: 'title' }),
    )
  })

  test('introspect --json has the source and the outcome of each table', async () => {
    const { out } = await run(['introspect', '--db', open.location, '--json'], folder)
    expect(JSON.parse(out)).toEqual({
      source: expect.stringContaining('defineResources'),
      tables: [
        { table: 'author', resource: 'author' },
        { table: 'book', resource: 'book' },
        { table: 'schema_migrations', reason: 'it looks like a table of migrations' },
      ],
    })
  })
})

describe('the command', () => {
  test.each([[[]], [['--help']], [['introspect', '-h']], [['help']]])('%j prints the help', async (words) => {
    const { code, out } = await run(words, folder)
    expect(code).toBe(0)
    expect(out).toContain('fastify-crud introspect [--db URL]')
  })

  test.each([
    [['inspect'], "there is no command 'inspect'"],
    [['introspect', '--dbb', 'x'], "Unknown option '--dbb'"],
    [['introspect', 'x', '--db', 'x'], "'x' is one word too many"],
    [
      ['introspect', '--db', 'x', '--schema', 'a', '--schema', 'b'],
      '--schema is there twice, but one run describes the tables of one schema',
    ],
    [['check', '--db', 'x', '--db=y'], '--db is there twice'],
    [['introspect'], 'no database: say --db URL, or set DATABASE_URL'],
    [['introspect', '--db', 'missing.sqlite'], 'there is no database file /'],
    [['introspect', '--db', 'mysql://localhost/shop'], '--db is neither postgres://… nor the path of a SQLite file'],
    [['introspect', '--db', 'x', '--resources', 'x.js'], 'introspect takes no --resources'],
    [['check', '--db', 'x', '--resources', 'x.js', '--only', 'book'], 'check takes no --only'],
    [['introspect', '--db', 'postgres://nobody@localhost:1/none'], 'ECONNREFUSED'],
    [['check', '--db', 'x'], 'no descriptors: say --resources FILE'],
    [['check', '--db', 'x', '--resources', 'none.js'], 'there is no file none.js'],
  ])('%j ends with 2 and says what is wrong', async (words, message) => {
    const { code, out, err } = await run(words, folder)
    expect([code, out]).toEqual([2, ''])
    expect(err).toContain(message)
    expect(err).not.toContain('    at ')
  })

  test.each([
    ["throw new Error('boom')", 'module.js cannot be loaded: boom'],
    ['throw undefined', 'module.js cannot be loaded: undefined'],
    ['export const = 1', 'module.js cannot be loaded: '],
  ])('says why it cannot load a module: %s', async (text, message) => {
    await writeFile(join(folder, 'module.js'), text)
    const { code, err } = await run(['check', '--db', 'x', '--resources', 'module.js'], folder)
    expect([code, err]).toEqual([2, expect.stringContaining(message)])
  })

  test('ends although the module has started something', async () => {
    await writeFile(join(folder, 'busy.js'), 'setInterval(() => {}, 1000); export const resources = {}')
    const { code } = await run(['check', '--db', 'x', '--resources', 'busy.js'], folder)
    expect(code).toBe(2)
  })

  test('says which export of a module it needs', async () => {
    await writeFile(join(folder, 'nothing.js'), 'export const resources = {}')
    const { code, err } = await run(['check', '--db', 'x', '--resources', 'nothing.js'], folder)
    expect([code, err]).toEqual([2, 'fastify-crud: nothing.js exports nothing that defineResources returned\n'])
  })
})
