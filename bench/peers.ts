/** This library beside what one would pick instead, on SQLite: prints a table. */
import { checkWorks } from './src/check-works.ts'
import type { Contender } from './src/contender.ts'
import { openFile } from './src/databases.ts'
import { measure } from './src/measure.ts'
import { readOptions } from './src/options.ts'
import { cap, platformatic, zenstack } from './src/peer-works.ts'
import { introductionOf, toTable } from './src/to-table.ts'
import { works } from './src/works.ts'

const moduleOf = (path: string) => new URL(path, import.meta.url)

const PEERS = {
  ours: { title: 'fastify-crud', module: moduleOf('sides/ours.ts'), works },
  platformatic: {
    title: 'Platformatic DB, parents alone',
    module: moduleOf('peers/platformatic.js'),
    works: platformatic,
    createTables,
  },
  zenstack: { title: 'ZenStack', module: moduleOf('peers/zenstack.js'), works: zenstack, createTables },
  // It creates its tables itself.
  cap: { title: 'SAP CAP', module: moduleOf('peers/cap.js'), works: cap, createTables() {} },
} satisfies Readonly<Record<string, Contender>>

const options = readOptions(PEERS)
const contenders = options.sides.map((side) => PEERS[side])
const runs = await measure(contenders, 'sqlite', options, checkWorks)
console.log(`${introductionOf(options)}\n\n${toTable('SQLite', runs, contenders)}`)

/** With cascades, as these peers leave it to the database to delete the children. */
function createTables(file: string): void {
  const columns = 'id integer primary key autoincrement, name text not null, quantity integer not null'
  const database = openFile(file)
  database.exec(`
    create table parent (${columns});
    create table child (${columns}, parent_id integer not null references parent (id) on delete cascade);
    create index child_parent on child (parent_id);
    create index parent_quantity on parent (quantity);
    create index child_quantity on child (quantity)`)
  database.close()
}
