import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { sql } from 'kysely'
import { type GeneratedMigrations, generateMigrations, type MigrationFile } from '../generate/generate-migrations.ts'
import type { Options } from './read-options.ts'
import { CliError } from './read-options.ts'
import type { Surroundings } from './with-database.ts'
import { importResources, withDatabase } from './with-database.ts'

interface NamedFile extends MigrationFile {
  /** As the command line names its folder. */
  readonly path: string
}

/** Writes migrations, and says what they change. Resolves to 1 if it was to check only, and something is missing. */
export async function generate(options: Options, surroundings: Surroundings): Promise<0 | 1> {
  const model = await importResources(options.resources, surroundings.folder)
  const fill = readFill(options.fill ?? [])
  const generated = await withDatabase(options, surroundings, (db) =>
    generateMigrations(db, model, { fill, ...(options.online === true && { online: true }) }),
  )
  const isDry = options.check === true || options.sql === true
  if (!isDry && generated.unfilled.length > 0) throw new CliError(messagesOf(generated).join('\n'))
  const files = isDry ? [] : await write(generated.files, options, surroundings)
  surroundings.out(textOf(generated, files, options))
  const { length } = [...generated.files, ...generated.byHand, ...generated.unfilled]
  return options.check === true && length > 0 ? 1 : 0
}

/** `price=0` is a value, `price:=pages * 2` is SQL. */
function readFill(given: readonly string[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    given.map((one) => {
      const at = one.indexOf('=')
      if (at < 1) throw new CliError(`--fill ${one}: say FIELD=VALUE, such as book.price=0`)
      const value = one.slice(at + 1)
      return one[at - 1] === ':' ? [one.slice(0, at - 1), sql.raw(value)] : [one.slice(0, at), value]
    }),
  )
}

async function write(
  files: readonly MigrationFile[],
  { dir = 'migrations', name = 'changes' }: Options,
  { folder }: Surroundings,
): Promise<readonly NamedFile[]> {
  if (files.length === 0) return []
  const target = resolve(folder, dir)
  await mkdir(target, { recursive: true })
  const names = await newNames(target, name, files)
  const named = files.map((file, position) => ({ ...file, path: join(dir, `${names[position]}.ts`) }))
  for (const { path, source } of named) await writeFile(resolve(folder, path), source, { flag: 'wx' })
  return named
}

function textOf(generated: GeneratedMigrations, files: readonly NamedFile[], options: Options): string {
  if (options.json === true) return `${JSON.stringify({ ...generated, ...(files.length > 0 && { files }) }, null, 2)}\n`
  if (options.sql === true) return sqlOf(generated)
  const { files: all, byHand } = generated
  const missing = files.length > 0 ? files : all
  const lines = missing.flatMap((file) => [
    ...('path' in file ? [String(file.path)] : []),
    ...file.changes.map((change) => `  ${change}`),
  ])
  const notes = [...byHand.map((note) => `by hand: ${note}`), ...messagesOf(generated)]
  if (lines.length + notes.length === 0) return 'the database has all that the descriptors need\n'
  return `${[...lines, ...notes].join('\n')}\n`
}

function messagesOf({ unfilled }: GeneratedMigrations): readonly string[] {
  return unfilled.map(({ message }) => message)
}

function sqlOf(generated: GeneratedMigrations): string {
  const { files, byHand } = generated
  const statements = files.flatMap((file) => file.statements)
  const notes = [...byHand.map((note) => `by hand: ${note}`), ...messagesOf(generated)]
  return [
    ...statements.map((one) => (one.startsWith('--') ? `${one}\n` : `${one};\n`)),
    ...notes.map((note) => `-- ${note.replaceAll(/\s*\n\s*/g, ' ')}\n`),
  ].join('')
}

/** Names for new migrations, which sort in the order of the files and behind all that are in the folder, as Kysely
 * sorts them. */
async function newNames(folder: string, name: string, files: readonly MigrationFile[]): Promise<readonly string[]> {
  const there = (await readdir(folder)).filter((file) => /\.[cm]?[jt]s$/.test(file))
  const last = there
    .map((file) => file.replace(/\.[^.]+$/, ''))
    .sort((a, b) => a.localeCompare(b))
    .at(-1)
  const now = Math.floor(Date.now() / SECOND) * SECOND
  const begin = Math.max(now, (timeOf(last) ?? 0) + SECOND)
  const names = files.map(({ kind }, position) => {
    const suffix = kind === 'ordinary' ? '' : `-${kind}`
    return `${spelled(begin + position * SECOND)}_${inFileNames(name)}${suffix}`
  })
  if (last !== undefined && String(names[0]).localeCompare(last) <= 0) {
    throw new CliError(`${last} sorts behind ${names[0]}, so Kysely would not run it: rename it, or use another folder`)
  }
  return names
}

const SECOND = 1000

/** `20260131T120000`. */
function spelled(time: number): string {
  return new Date(time).toISOString().replaceAll(/[-:]|\.\d+Z$/g, '')
}

function timeOf(name: string | undefined): number | undefined {
  const found = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)_/.exec(name ?? '')
  if (found === null) return undefined
  const [, year, month, day, hours, minutes, seconds] = found
  const time = Date.parse(`${year}-${month}-${day}T${hours}:${minutes}:${seconds}Z`)
  return Number.isNaN(time) ? undefined : time
}

function inFileNames(name: string): string {
  return (
    name
      .toLowerCase()
      .replaceAll(/[^\p{Letter}\p{Number}_]+/gu, '-')
      .replaceAll(/^-|-$/g, '') || 'changes'
  )
}
