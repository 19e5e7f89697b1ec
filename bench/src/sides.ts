import type { DatabaseName } from './databases/bench-database.ts'
import type { Build } from './servers/serve.ts'

export const SIDES = ['ours', 'plain', 'guarded', 'raw', 'kysely'] as const

/**
 * `ours` is this library; `plain` is the same on a Kysely instance without `keepStatements`; `raw` is tuned by hand on the bare
 * driver; `guarded` is that with this library's guarantees; `kysely` is what people usually write.
 */
export type SideName = (typeof SIDES)[number]

const modules: Readonly<Record<DatabaseName, Readonly<Record<SideName, () => Promise<{ readonly build: Build }>>>>> = {
  sqlite: {
    ours: () => import('./servers/ours.ts'),
    plain: () => import('./servers/plain.ts'),
    guarded: () => import('./servers/guarded-sqlite.ts'),
    raw: () => import('./servers/raw-sqlite.ts'),
    kysely: () => import('./servers/kysely-sqlite.ts'),
  },
  postgres: {
    ours: () => import('./servers/ours.ts'),
    plain: () => import('./servers/plain.ts'),
    guarded: () => import('./servers/guarded-postgres.ts'),
    raw: () => import('./servers/raw-postgres.ts'),
    kysely: () => import('./servers/kysely-postgres.ts'),
  },
}

/** The service of a side; nothing of the other sides is loaded. */
export async function buildOf(database: DatabaseName, side: SideName): Promise<Build> {
  return (await modules[database][side]()).build
}
