import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { AnyKysely } from '@fastify-crud/core'
import { CliError } from './cli-error.ts'
import type { Options } from './read-options.ts'
import type { Surroundings } from './surroundings.ts'

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
