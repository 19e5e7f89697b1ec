import { type KyselyPlugin, WithSchemaPlugin } from 'kysely'
import { onceFor } from '../../model/once-for.ts'
import { LruCache } from '../text/lru-cache.ts'
import { namesOf } from '../text/sql-text.ts'
import type { AnyKysely } from './database.ts'

/** All that is kept for a Kysely instance, by its adapter, which its transactions and copies share. */
const states = onceFor((_adapter: object): unknown[] => [])
let slots = 0

/** A slot in the state of each Kysely instance, with what `make` puts there at first. */
export function stateOfInstance<State extends object>(make: () => State): (db: AnyKysely) => State {
  const slot = slots
  slots += 1
  return (db) => {
    const state = states(db.getExecutor().adapter)
    state[slot] ??= make()
    return state[slot] as State
  }
}

/** The most that are kept for instances of one pool, or one file, that differ in their plugins. */
const MOST_OF_A_POOL = 1_000

/**
 * Keeps something for each database, as instances reach it. An instance has the same as its transactions and copies,
 * but not as one with other plugins: in another schema are other tables.
 */
export function keptForDatabase<Kept>(make: () => Kept): (db: AnyKysely) => Kept {
  const known = stateOfInstance(() => new LruCache<string, Kept>(MOST_OF_A_POOL))
  return (db) => {
    const ofPool = known(db)
    const key = pluginsKey(db)
    const kept = ofPool.get(key) ?? make()
    ofPool.set(key, kept)
    return kept
  }
}

/** Equal for instances of one pool, or one file, that reach the same tables by the same names. */
export function databaseKey(db: AnyKysely): string {
  return `${numberOf(db.getExecutor().adapter)} ${pluginsKey(db)}`
}

/** Equal for instances whose plugins do the same to a statement. */
export function pluginsKey(db: AnyKysely): string {
  const { plugins } = db.getExecutor()
  return plugins.map((plugin) => schemaIn(db, plugin) ?? numberOf(plugin)).join(' ')
}

/** `withSchema` makes a plugin each time. How it names a table says what it does; undefined for other plugins. */
function schemaIn(db: AnyKysely, plugin: KyselyPlugin): string | undefined {
  if (!(plugin instanceof WithSchemaPlugin)) return undefined
  let schema = schemas.get(plugin)
  if (schema === undefined) {
    schema = namesOf(db.withoutPlugins().withPlugin(plugin)).table('t').text
    schemas.set(plugin, schema)
  }
  return schema
}

const schemas = new WeakMap<KyselyPlugin, string>()

let numbered = -1

/** The same for the same object, and another one for each other. */
export const numberOf: (object: object) => number = onceFor(() => {
  numbered += 1
  return numbered
})
