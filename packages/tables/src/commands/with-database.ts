import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { AnyKysely, Model } from '@fastify-crud/core'
import type { Options } from './read-options.ts'
import { CliError } from './read-options.ts'

/** Opens the database that the command line or `DATABASE_URL` names, for one use. A SQLite file has to be there. */
export async function withDatabase<T>(
  { db: given }: Options,
  { env, folder, err }: Surroundings,
  use: (db: AnyKysely) => Promise<T>,
): Promise<T> {
  const url = given ?? env.DATABASE_URL
  if (url === undefined || url === '') throw new CliError('no database: say --db URL, or set DATABASE_URL')
  const warn = (message: string) => err(`${message}\n`)
  const db = /^postgres(?:ql)?:/.test(url)
    ? (await driver('pg', () => import('@fastify-crud/core/postgres'))).openPostgres(url, { max: 1, warn })
    : (await driver('better-sqlite3', () => import('@fastify-crud/core/sqlite'))).openSqlite(
        url === EMPTY ? url : fileOf(url, folder),
        { ...(url !== EMPTY && { readonly: true, fileMustExist: true }), warn },
      )
  try {
    return await use(db)
  } finally {
    await db.destroy()
  }
}

/** SQLite: an empty database, as before the first migration. */
const EMPTY = ':memory:'

/** The path of a SQLite file that is there. */
function fileOf(url: string, folder: string): string {
  if (/^(?!file:)[a-z][a-z+]*:\/\//i.test(url)) {
    throw new CliError(`--db is neither postgres://… nor the path of a SQLite file: ${url}`)
  }
  const file = url.startsWith('file://') ? fileURLToPath(url) : resolve(folder, url.replace(/^(?:sqlite|file):/, ''))
  if (!existsSync(file)) throw new CliError(`there is no database file ${file}`)
  return file
}

async function driver<Module>(name: string, load: () => Promise<Module>): Promise<Module> {
  try {
    return await load()
  } catch (error) {
    if ((error as { code?: string }).code !== 'ERR_MODULE_NOT_FOUND') throw error
    throw new CliError(`the driver is missing: npm install ${name}`)
  }
}

/** What a command may use of the process that runs it. */
export interface Surroundings {
  out(text: string): void
  /** For people: what was done, and what went wrong. */
  err(text: string): void
  readonly env: Readonly<Record<string, string | undefined>>
  /** Paths start here. */
  readonly folder: string
}

/** The model that a module exports, by whatever name. */
export async function importResources(file: string | undefined, folder: string): Promise<Model> {
  if (file === undefined) throw new CliError('no descriptors: say --resources FILE')
  const module = await load(file, pathToFileURL(resolve(folder, file)).href)
  const models = [...new Set(Object.values(module).filter(isModel))]
  const [model, another] = models
  if (model === undefined) throw new CliError(`${file} exports nothing that defineResources returned`)
  if (another !== undefined) throw new CliError(`${file} exports several models; give a file that exports one`)
  return model
}

async function load(file: string, url: string): Promise<object> {
  if (!existsSync(new URL(url))) throw new CliError(`there is no file ${file}`)
  try {
    return await import(url)
  } catch (error) {
    throw new CliError(`${file} cannot be loaded: ${whyNot(error)}`)
  }
}

function whyNot(error: unknown): string {
  const { message, code } = Object(error) as { message?: unknown; code?: unknown }
  if (code === 'ERR_UNKNOWN_FILE_EXTENSION') return 'TypeScript needs Node 22.18 or later'
  const words = String(message ?? error)
  const isCommonJs = /^Cannot use import statement outside a module|^Unexpected token 'export'/.test(words)
  return isCommonJs ? `${words}. Is "type": "module" missing in package.json?` : words
}

function isModel(value: unknown): value is Model {
  return typeof value === 'object' && value !== null && (value as Partial<Model>).resources instanceof Map
}
