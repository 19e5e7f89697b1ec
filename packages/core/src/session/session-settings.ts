import { CompiledQuery } from 'kysely'
import { Prepared, type Query } from '../sql/text/prepare.ts'
import { Slot } from '../sql/text/sql-text.ts'

/** Settings of PostgreSQL by their names, such as `{ 'app.user': '7' }`: functions and policies of the database can
 * read them. */
export type SessionSettings = Readonly<Record<string, string>>

/** Makes the settings of a request of what the calling code has handed in for it. */
export type SettingsOf = (requestContext: unknown) => SessionSettings

/** A statement that sets settings until the end of the transaction. */
export interface SetSettings {
  readonly statement: Prepared
  /** Names and values in turn. */
  readonly values: readonly string[]
}

/** Those without a dot are PostgreSQL's own: `role`, `search_path`, … */
const OF_THE_APPLICATION = /^[a-z_][a-z0-9_]*(?:\.[a-z_][a-z0-9_]*)+$/i

/** In these the library keeps the ids of new rows. */
const OF_THE_LIBRARY = /^fastify_crud\./i

/** Undefined if there is nothing to set. Throws a TypeError that names the setting for what cannot be set. */
export function settingStatement(settings: SessionSettings): SetSettings | undefined {
  if (typeof settings !== 'object' || settings === null || settings instanceof Promise) {
    throw new TypeError("session: must return an object with settings, such as { 'app.user': '7' }")
  }
  const entries = Object.entries(settings)
  for (const [name, value] of entries) checkSetting(name, value)
  return entries.length === 0 ? undefined : { statement: statementFor(entries.length), values: entries.flat() }
}

function checkSetting(name: string, value: unknown): void {
  if (!OF_THE_APPLICATION.test(name)) {
    throw new TypeError(`session: '${name}' must be a name with a dot, such as 'app.user'`)
  }
  if (OF_THE_LIBRARY.test(name))
    throw new TypeError(`session: '${name}' starts with the name of this library; choose another prefix`)
  if (typeof value !== 'string') throw new TypeError(`session: '${name}' must be a string, and is ${typeName(value)}`)
  // The driver would send another text, which might name somebody else.
  if (value.includes('\0') || !value.isWellFormed()) {
    throw new TypeError(
      `session: '${name}' has a character that PostgreSQL does not accept: U+0000 or half a surrogate pair`,
    )
  }
}

function typeName(value: unknown): string {
  return value === null ? 'null' : typeof value
}

const statements = new Map<number, Prepared>()

function statementFor(count: number): Prepared {
  let statement = statements.get(count)
  if (statement === undefined) {
    const calls = Array.from({ length: count }, (_, index) => `set_config($${2 * index + 1}, $${2 * index + 2}, true)`)
    const slots = Array.from({ length: 2 * count }, (_, index) => new Slot(index))
    statement = new Prepared(CompiledQuery.raw(`select ${calls.join(', ')}`, slots) as Query)
    statements.set(count, statement)
  }
  return statement
}
