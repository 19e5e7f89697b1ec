import { type RawBuilder, sql } from 'kysely'
import type { TestApp } from '../support/app.ts'

/** For each table in turn: its columns, and their values in the i-th row. */
const TABLES: readonly (readonly [table: string, values: Readonly<Record<string, string>>])[] = [
  ['city', { name: "'filled ' || i" }],
  ['manager', { name: "'filled ' || i" }],
  ['van', { name: "'filled ' || i" }],
  ['sponsor', { name: "'filled ' || i" }],
  ['genre', { name: "'filled ' || i" }],
  ['band', { name: "'filled ' || i", cityId: 'i', managerId: 'i', rivalId: 'i' }],
  ['page', { url: "'filled'", bandId: 'i' }],
  [
    'address',
    { street: "'filled'", homeOfId: 'case i % 2 when 0 then i end', officeOfId: 'case i % 2 when 1 then i end' },
  ],
  ['album', { title: "'filled'", rank: '1', bandId: 'i', recordedInId: 'i' }],
  ['cover', { color: "'filled'", albumId: 'i' }],
  ['track', { title: "'filled'", position: '1', albumId: 'i', studioId: 'i', remixOfId: 'i' }],
  ['review', { text: "'filled'", albumId: 'i', favouriteId: 'i' }],
  ['folder', { name: "'filled ' || i", parentId: 'case when i > 20 then i / 20 end', aboutId: 'i' }],
  ['band_sponsors', { bandId: 'i', sponsorId: 'i' }],
  ['band_vans', { bandId: 'i', vanId: 'i' }],
  ['band_genres', { bandId: 'i', genreId: 'i' }],
  ['track_genres', { trackId: 'i', genreId: 'i' }],
  ['review_tracks', { reviewId: 'i', trackId: 'i' }],
  ['folder_seen', { folderId: 'i', albumId: 'i' }],
]

/** What stands ahead of an INSERT that selects from `n`: a row `i` for each number from 1 on. */
export function numbersTo(rows: number): RawBuilder<unknown> {
  return sql.raw(`with recursive n(i) as (select 1 union all select i + 1 from n where i < ${rows})`)
}

/** Fills every table of a new festival database with so many rows. */
export async function fill({ db }: TestApp, rows: number): Promise<void> {
  const numbers = numbersTo(rows)
  for (const [table, values] of TABLES) {
    const columns = Object.keys(values).map((name) => sql.ref(name))
    await sql`${numbers} insert into ${sql.table(table)} (${sql.join(columns)})
      select ${sql.raw(Object.values(values).join())} from n`.execute(db)
  }
  await db
    .updateTable('album')
    .set({ openerId: sql.ref('id') })
    .execute()
}
