import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { databases } from '../../../../test/support/databases.ts'
import { compareTexts } from './compare-values.ts'
import { fold } from './fold.ts'
import { readingKinds } from './reading-kinds.ts'

const texts = (readingKinds[0]?.values ?? []).filter((value) => typeof value === 'string')

test('the reference folds and sorts texts as PostgreSQL does by code point', async () => {
  const open = await databases.find(({ name }) => name === 'postgres')?.open()
  if (open === undefined) throw new Error('no PostgreSQL')
  try {
    const folded = await sql<{ lower: string }>`
      select lower(value collate "pg_c_utf8") as lower
      from jsonb_array_elements_text(${JSON.stringify(texts)}::jsonb) with ordinality as t (value, n) order by n`.execute(
      open.db,
    )
    expect(texts.map((text) => fold(text, 'simple'))).toEqual(folded.rows.map(({ lower }) => lower))
    const sorted = await sql<{ value: string }>`
      select value from jsonb_array_elements_text(${JSON.stringify(texts)}::jsonb) as t (value) order by value collate "C"`.execute(
      open.db,
    )
    expect([...texts].sort(compareTexts)).toEqual(sorted.rows.map(({ value }) => value))
  } finally {
    await open.close()
  }
})
