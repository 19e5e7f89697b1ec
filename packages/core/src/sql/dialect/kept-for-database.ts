import { type DialectAdapter, type KyselyPlugin, WithSchemaPlugin } from 'kysely'
import { LruCache } from '../text/lru-cache.ts'
import { namesOf } from '../text/sql-text.ts'
import type { AnyKysely } from './database.ts'

/** The most that are kept for instances of one pool, or one file, that differ in their plugins. */
const MOST_OF_A_POOL = 1_000

/**
 * Keeps something for each database, as instances reach it. An instance has the same as its transactions and copies,
 * but not as one with other plugins: in another schema are other tables.
 */
export function keptForDatabase<Kept>(make: () => Kept): (db: AnyKysely) => Kept {
  const known = new WeakMap<DialectAdapter, LruCache<string, Kept>>()
  return (db) => {
    const { adapter } = db.getExecutor()
    const ofPool = known.get(adapter) ?? new LruCache<string, Kept>(MOST_OF_A_POOL)
    known.set(adapter, ofPool)
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

/** The same for the same object, and another one for each other. */
export function numberOf(object: object): number {
  let number = numbers.get(object)
  if (number === undefined) {
    number = numbered
    numbered += 1
    numbers.set(object, number)
  }
  return number
}

const numbers = new WeakMap<object, number>()
let numbered = 0
