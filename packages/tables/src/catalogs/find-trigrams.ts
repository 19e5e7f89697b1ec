import type { AnyKysely } from '@fastify-crud/core'
import { foldsAllLetters } from '@fastify-crud/core/internal'
import { sql } from 'kysely'
import type { Trigrams } from './found-tables.ts'

/** Asks PostgreSQL for its extension `pg_trgm`. Undefined where an index of it would not find all texts. */
export async function findTrigrams(db: AnyKysely): Promise<Trigrams | undefined> {
  // In JSON, a column that older servers do not have is null.
  const { rows } = await sql<{ schema: string | null; mayCreate: boolean; isIcu: boolean }>`
    select (select n.nspname from pg_extension e join pg_namespace n on n.oid = e.extnamespace where e.extname = 'pg_trgm') as schema,
      exists (
        select from pg_available_extension_versions v
        where v.name = 'pg_trgm' and (not v.superuser or r.rolsuper
          or (coalesce((to_jsonb(v) ->> 'trusted')::boolean, false) and has_database_privilege(d.oid, 'CREATE')))
      ) as "mayCreate",
      coalesce(to_jsonb(d) ->> 'datlocprovider' = 'i', false) as "isIcu"
    from pg_database d cross join pg_roles r
    where d.datname = current_database() and r.rolname = current_user`.execute(db)
  const [found] = rows
  const foldsAll = await foldsAllLetters(db)
  // Before PostgreSQL 17, upper case remains in what the service compares. The extension makes lower case of it by the locale of the
  // database, which ICU does by the letters around: a sigma is another one at the end of a word than in a part of it.
  if (found === undefined || (found.isIcu && !foldsAll)) return undefined
  const { schema, mayCreate } = found
  return { schema: schema ?? undefined, mayCreate, collation: foldsAll ? 'pg_c_utf8' : 'C' }
}
