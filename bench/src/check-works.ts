import { Kysely, sql } from 'kysely'
import { connect } from './connect.ts'
import type { Running } from './contender.ts'
import { dialectOf, seed } from './databases.ts'
import { platformatic } from './peer-works.ts'
import { keysOf, PAGE, type WorkName } from './works.ts'

/** Of 20 records, after a work on the first: parents, children, changed parents, new or changed children; shown children. */
const DONE = {
  read: /^20 100 0 0, 5$/,
  list: /^20 100 0 0, 100$/,
  create: /^21 105 1 5,/,
  replace: /^20 100 1 5,/,
  patch: /^20 100 1 0,/,
  delete: /^19 95 0 0,/,
} satisfies Partial<Record<WorkName, RegExp>>

const LEFT = sql<{ done: string }>`select concat_ws(' ', (select count(*) from parent), (select count(*) from child),
  (select count(*) from parent where quantity < 0), (select count(*) from child where name like 'changed%')) as done`

/** @throws Error for a work that a service does not do wholly. */
export async function checkWorks(services: readonly Running[]): Promise<void> {
  for (const { title, works, location, port } of services) {
    // It does one table at a time, so nothing but its DELETE does all of a work.
    if (works === platformatic) continue
    await using db = new Kysely({ dialect: dialectOf(location) })
    const { ask, close } = await connect(port)
    for (const work of keysOf(DONE)) {
      const request = works[work]?.(1)
      if (request === undefined) continue
      await seed(location, PAGE)
      const { status, body } = await ask(request)
      const [left] = (await LEFT.execute(db)).rows
      const done = `${left?.done}, ${body.match(/"child \d+"/g)?.length ?? 0}`
      if (status >= 300 || !DONE[work].test(done)) throw new Error(`${title}, ${work}: ${status}, ${done}\n${body}`)
    }
    close()
  }
}
