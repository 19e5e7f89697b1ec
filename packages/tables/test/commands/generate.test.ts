import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createTables, defineResources } from 'fastify-crud'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { databases, type OpenDatabase } from '../../../../test/support/databases.ts'
import { runDdl } from '../../../fastify-crud/test/databases/introspect/introspected-service.ts'
import { run } from './run.ts'

const TABLES = {
  postgres: 'create table book (id bigserial primary key, title text collate "C" not null)',
  sqlite: 'create table book (id integer primary key autoincrement, title text not null)',
}
const resources = (fields: string) => `import { defineResources, field } from 'fastify-crud'
  import { Type } from '@sinclair/typebox'
  export const resources = defineResources({ book: { fields: { title: Type.String()${fields} } } })`
const price = ', price: Type.Number()'

let parent: string
beforeAll(async () => {
  // In the workspace, so that modules in it find the packages.
  parent = await mkdtemp(join(import.meta.dirname, '.printed-'))
})
afterAll(() => rm(parent, { recursive: true }))

describe.each(databases)('fastify-crud generate ($name)', (database) => {
  let open: OpenDatabase
  let folder: string
  beforeEach(async () => {
    open = await database.open()
    folder = await mkdtemp(join(parent, 'project-'))
    await runDdl(open, TABLES[database.name])
    // And with it the tables of the library.
    await createTables(open.db, defineResources({ shelf: {} }))
  })
  afterEach(() => open.close())

  const generate = (...words: string[]) =>
    run(['generate', '--resources', 'resources.ts', ...words], folder, { DATABASE_URL: open.location })
  const describeBooks = (fields: string) => writeFile(join(folder, 'resources.ts'), resources(fields))

  test('writes a migration, and says where and what it changes', async () => {
    await describeBooks(price)
    const { code, out, err } = await generate('--name', 'Add price!')
    expect([code, err]).toEqual([0, ''])
    const [file, ...others] = await readdir(join(folder, 'migrations'))
    expect(others).toEqual([])
    expect(file).toMatch(/^\d{8}T\d{6}_add-price\.ts$/)
    expect(out).toBe(`migrations/${file}\n  column book.price is missing: this fails where book has rows\n`)
    const source = await readFile(join(folder, 'migrations', String(file)), 'utf8')
    expect(source).toContain('export async function up(')
  })

  test('a new file sorts behind all that are there, and none is written over', async () => {
    await describeBooks(price)
    const last = '29990101T000000_last.ts'
    await mkdir(join(folder, 'changes'))
    await writeFile(join(folder, 'changes', last), '')
    await generate('--dir', 'changes')
    await generate('--dir', 'changes')
    expect((await readdir(join(folder, 'changes'))).sort()).toEqual([
      last,
      '29990101T000001_changes.ts',
      '29990101T000002_changes.ts',
    ])
    await writeFile(join(folder, 'changes', 'zz.ts'), '')
    expect(await generate('--dir', 'changes')).toMatchObject({
      code: 2,
      err: expect.stringContaining('zz sorts behind'),
    })
  })

  test('asks for the values of rows, and takes them by --fill', async () => {
    await runDdl(open, "insert into book (title) values ('Ink')")
    await describeBooks(price)
    const asked = await generate()
    expect(asked).toMatchObject({
      code: 2,
      out: '',
      err: expect.stringContaining('give it by --fill book.price=VALUE'),
    })
    expect(await readdir(folder)).toEqual(['resources.ts'])
    expect((await generate('--fill', 'price=0')).code).toBe(0)
    expect((await readdir(join(folder, 'migrations'))).length).toBe(1)
    expect(await generate('--fill', 'price')).toMatchObject({
      code: 2,
      err: expect.stringContaining('say FIELD=VALUE'),
    })
    expect(await generate('--fill', 'prize=0')).toMatchObject({
      code: 2,
      err: expect.stringContaining("there is no field 'prize'"),
    })
  })

  test('takes SQL that computes the values, and --online', async () => {
    await runDdl(open, "insert into book (title) values ('Ink')")
    await describeBooks(price)
    const { code, out } = await generate('--fill', 'price:=length(title) * 2', '--online', '--sql')
    expect([code, out.includes('SET "price" = (length(title) * 2) WHERE "price" IS NULL')]).toEqual([0, true])
    expect(out.includes('-- in portions: ')).toBe(database.name === 'postgres')
  })

  test('--check writes nothing, and ends with 1 if anything is missing', async () => {
    await describeBooks('')
    expect(await generate('--check')).toEqual({
      code: 0,
      out: 'the database has all that the descriptors need\n',
      err: '',
    })
    await describeBooks(price)
    expect(await generate('--check')).toMatchObject({ code: 1, out: expect.stringContaining('book.price is missing') })
    await runDdl(open, "insert into book (title) values ('Ink')")
    expect(await generate('--check')).toMatchObject({
      code: 1,
      out: expect.stringContaining('--fill book.price=VALUE'),
    })
    expect(await readdir(folder)).toEqual(['resources.ts'])
  })

  test('--sql prints the statements, and --json all as data', async () => {
    await describeBooks(', note: field(Type.Optional(Type.String({ maxLength: 9 })), { index: true })')
    const { code, out } = await generate('--sql')
    expect(code).toBe(0)
    expect(out).toMatch(
      /^ALTER TABLE "book" ADD COLUMN "note" text.*;\nCREATE INDEX IF NOT EXISTS "book_note_idx".*;\n/,
    )
    expect(await readdir(folder)).toEqual(['resources.ts'])
    const { files, ...others } = JSON.parse((await generate('--json')).out)
    expect(others).toEqual({ byHand: [], unfilled: [] })
    expect(files).toMatchObject([{ kind: 'ordinary', path: expect.stringMatching(/^migrations\//) }])
    expect((await readdir(join(folder, 'migrations'))).length).toBe(1)
  })

  test('says what to do by hand', async () => {
    await writeFile(join(folder, 'resources.ts'), resources('').replace('Type.String()', 'Type.Boolean()'))
    expect(await generate()).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^by hand: column book\.title is of type text/i),
    })
    expect((await generate('--check')).code).toBe(1)
    expect(await readdir(folder)).toEqual(['resources.ts'])
  })
})

describe('fastify-crud generate', () => {
  test('begins with an empty SQLite database', async () => {
    await writeFile(join(parent, 'resources.ts'), resources(price))
    const { code, out } = await run(['generate', '--db', ':memory:', '--resources', 'resources.ts', '--sql'], parent)
    expect([code, out]).toEqual([0, expect.stringMatching(/^create table if not exists "book"/)])
  })

  test('needs descriptors, and takes no --only', async () => {
    expect(await run(['generate', '--db', 'x'], parent)).toMatchObject({ code: 2 })
    expect(await run(['generate', '--only', 'book'], parent)).toMatchObject({
      code: 2,
      err: expect.stringContaining('generate takes no --only'),
    })
    expect(await run(['check', '--sql'], parent)).toMatchObject({
      err: expect.stringContaining('check takes no --sql'),
    })
  })
})
