import { Type } from '@sinclair/typebox'
import {
  countOf,
  createTables,
  defineResources,
  field,
  knows,
  type Model,
  maxOf,
  neededBy,
  needs,
  sumOf,
} from 'fastify-crud'
import { sql } from 'kysely'
import type { OpenDatabase } from '../../../../../test/support/databases.ts'

/** A table in which nothing tells one row from another, beside one whose records have ids. */
export const visits = defineResources({
  page: {
    fields: { title: Type.String() },
    relations: { visits: neededBy.many('visit') },
    computed: {
      visitors: countOf('visits'),
      longest: maxOf('visits', 'at'),
      seconds: sumOf('visits', 'seconds'),
    },
  },
  visit: {
    id: false,
    columns: { number: 'id' },
    fields: {
      number: Type.Optional(Type.Integer()),
      browser: Type.String(),
      seconds: Type.Integer(),
      at: Type.Optional(Type.String({ format: 'date-time' })),
      data: Type.Optional(Type.Object({ width: Type.Integer() })),
      secret: Type.Optional(field(Type.String(), { writeOnly: true })),
    },
    relations: { page: needs.one('page'), from: knows.one('page') },
  },
}) as Model

export async function makeVisits({ db, name }: Pick<OpenDatabase, 'db' | 'name'>): Promise<void> {
  await createTables(db, visits)
  const [moment, json] = name === 'postgres' ? ['timestamptz', 'jsonb'] : ['text', 'text']
  const columns = `"id" integer, "browser" text not null, "seconds" integer not null, "at" ${moment}, "data" ${json}, "secret" text`
  await sql.raw(`create table "visit" (${columns}, "pageId" integer not null, "fromId" integer)`).execute(db)
}
