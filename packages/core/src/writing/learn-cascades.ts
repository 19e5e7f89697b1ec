import { sql } from 'kysely'
import type { Link, Model, Reference } from '../model/model.ts'
import type { Session } from '../session/session.ts'
import type { QueryContext } from '../sql/context.ts'
import { keptForDatabase } from '../sql/dialect/kept-for-database.ts'
import { prepare } from '../sql/text/prepare.ts'
import { slot } from '../sql/text/sql-text.ts'

/** Relations that say `needs`. */
export type Needs = ReadonlySet<Reference | Link>

const known = keptForDatabase(() => new WeakMap<Model, Needs>())

/**
 * Makes a function that asks PostgreSQL, unless it was asked before, which relations say `needs` while their foreign
 * keys say ON DELETE CASCADE. Undefined where no other writer can come between: the database has one at a time.
 */
export function cascadesLearner(
  { db, dialect, names }: QueryContext,
  model: Model,
): ((session: Session) => Promise<Needs>) | undefined {
  if (!dialect.othersMayWrite) return undefined
  const ofModels = known(db)
  return async (session) => {
    const learned = ofModels.get(model) ?? (await learn(session))
    ofModels.set(model, learned)
    return learned
  }

  async function learn(session: Session): Promise<Needs> {
    const all = [...model.resources.values()].flatMap(({ references, links }) => [...references, ...links])
    const needs = new Map(all.filter((one) => one.needs).map((one) => [`${one.source.key}.${one.name}`, one]))
    const asked = [...needs].map(([key, relation]) => {
      const [holder, name] =
        relation.kind === 'link' ? [relation, relation.toColumn] : [relation.source, relation.column]
      return { key, table: names.table(holder.table).text, column: names.column(name) }
    })
    const query = sql`
      select n.key from json_to_recordset(${slot(0)}::text::json) as n(key text, "table" text, "column" text)
      join pg_attribute a on a.attrelid = to_regclass(n."table") and a.attname = n."column"
      join pg_constraint k on k.conrelid = a.attrelid and k.contype = 'f' and k.confdeltype = 'c'
        and k.conkey @> array[a.attnum]`
    const rows = await session.rows(prepare(db, query), [JSON.stringify(asked)])
    return new Set(rows.map(({ key }) => needs.get(key as string) as Reference | Link))
  }
}
