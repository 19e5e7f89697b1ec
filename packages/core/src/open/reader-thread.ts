/**
 * A thread that reads: takes a {@link ReadTask}, sends its {@link ReadReport}. It ends if it cannot open the file.
 * Nothing imports this file: `ReaderThreads` starts it, as it is or as a text, so it takes the driver from where the
 * application has found it.
 */
import { createRequire } from 'node:module'
import { parentPort, workerData } from 'node:worker_threads'
import type Sqlite from 'better-sqlite3'
import { keepFrequent } from '../session/drivers/keep-frequent.ts'
import { type DirectStatement, directStatement, prepareWeighed } from '../session/sqlite/shared-statement.ts'
import type { ReaderSettings, ReadReport, ReadTask } from './read-task.ts'
import { registerFunctions } from './sqlite-pragmas.ts'

const { file, pragmas, driver, module } = workerData as ReaderSettings
const SqliteDriver = createRequire(module)(module) as typeof Sqlite
const database = new SqliteDriver(file, { ...driver, readonly: true, fileMustExist: true })
for (const [name, value] of Object.entries(pragmas)) database.pragma(`${name} = ${value}`)
registerFunctions(database)

function pluck(sql: string): DirectStatement {
  const statement = prepareWeighed(database, sql)
  statement.pluck?.()
  return directStatement(statement)
}
const kept = keepFrequent(pluck)

function report({ sql, parameters }: ReadTask): ReadReport {
  const begun = performance.now()
  try {
    const value = (kept(sql) ?? pluck(sql)).get(...parameters)
    return { value, ms: performance.now() - begun }
  } catch (error) {
    const { message, code } = error as { message: string; code?: string }
    return { message, code }
  }
}

parentPort?.on('message', (task: ReadTask) => parentPort?.postMessage(report(task)))
