/** The functions of a migration that changes tables of PostgreSQL while others use them. In a migration they cannot change with the library. */
export const WITH_TRIES = `/**
 * Others wait behind a statement that waits for a lock. So it gives up soon, and is tried again after a pause, for some minutes. So is one that a
 * deadlock has stopped.
 */
async function withTries<Result>(attempt: () => Promise<Result>): Promise<Result> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await attempt()
    } catch (error) {
      const { code } = error as { code?: unknown }
      if (tries === 50 || (code !== '55P03' && code !== '40P01')) throw error
      await new Promise((resolve) => setTimeout(resolve, Math.min(tries * 100, 5_000)))
    }
  }
}
`

export const PATIENTLY = `/** Waits two seconds for a lock, and tries again. Several statements are one transaction. */
async function patiently(db: Kysely<any>, ...statements: string[]): Promise<Record<string, unknown>[]> {
  const work = async (db: Kysely<any>) => {
    let rows: Record<string, unknown>[] = []
    for (const statement of statements) rows = await run(db, statement)
    return rows
  }
  await run(db, "set lock_timeout = '2s'")
  try {
    return await withTries(() => (statements.length === 1 ? work(db) : db.transaction().execute(work)))
  } finally {
    await run(db, 'set lock_timeout = 0')
  }
}
`

export const IN_PORTIONS = `/**
 * Changes 5,000 rows at a time in the order of their key, each time in a transaction of its own. What is done stays done, whatever happens: the next
 * run goes on with the other rows.
 */
async function inPortions(db: Kysely<any>, table: string, key: string[], set: string, where: string): Promise<void> {
  const columns = key.join(', ')
  const texts = key.map((column, at) => column + '::text as k' + at).join(', ')
  let left = where
  let done = 0
  for (let portion = 1; ; portion += 1) {
    const next = 'select ' + texts + ' from ' + table + ' where ' + left + ' order by ' + columns + ' offset 4999 limit 1'
    const [end] = await run(db, next)
    const values = Object.values(end ?? {}).map((value) => "'" + String(value).replaceAll("'", "''") + "'")
    const last = '(' + columns + ') <= (' + values.join(', ') + ')'
    const update = 'update ' + table + ' set ' + set + ' where ' + left + (end === undefined ? '' : ' and ' + last)
    const counted = 'with changed as (' + update + ' returning 1) select count(*)::int as count from changed'
    const [changed] = await patiently(db, counted)
    done += Number(changed?.count)
    if (end === undefined || portion % 20 === 0) console.log(table + ': ' + done + ' rows have ' + set)
    if (end === undefined) return
    left = where + ' and (' + columns + ') > (' + values.join(', ') + ')'
  }
}
`
