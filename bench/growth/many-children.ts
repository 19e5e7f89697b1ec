/** How long one PUT with many children takes: `[children] [sqlite|postgres]`. */
import type { DatabaseName } from '../src/databases/bench-database.ts'
import { startDatabaseServer } from '../src/databases/start-database-server.ts'
import { withSides } from '../src/run-sides.ts'
import { askForRecord, type BigRecord, newChildren } from './big-record.ts'

const TURNS = 3

const count = Number(process.argv[2] ?? 10_000)
const database: DatabaseName = process.argv[3] === 'postgres' ? 'postgres' : 'sqlite'

/** What each PUT makes of the record that it finds. */
const changes: Readonly<Record<string, (record: BigRecord, turn: number) => BigRecord>> = {
  'nothing changed': (record) => record,
  'all updated': (record, turn) => ({
    ...record,
    children: record.children.map((child) => ({ ...child, quantity: child.quantity + turn })),
  }),
  'half removed, as many new': (record, turn) => ({
    ...record,
    children: [...record.children.slice(count / 2), ...newChildren(count / 2, turn)],
  }),
  'all removed, as many new': (record, turn) => ({ ...record, children: newChildren(count, turn) }),
}

const databases = await startDatabaseServer(database)
try {
  await withSides(databases, ['ours'], async ([side]) => {
    if (side === undefined) return
    const { port } = side.server
    const body = { name: 'big', quantity: 1, children: newChildren(count, 0) }
    const created = await askForRecord(port, 'POST', '/api/parent', body)
    console.log(`POST with ${count} children: ${created.milliseconds.toFixed(0)} ms`)
    let { record } = created
    for (const [title, change] of Object.entries(changes)) {
      const times: string[] = []
      for (let turn = 1; turn <= TURNS; turn++) {
        const answer = await askForRecord(port, 'PUT', `/api/parent/${record.id}`, change(record, turn))
        record = answer.record
        times.push(answer.milliseconds.toFixed(0))
      }
      console.log(`PUT, ${title}: ${times.join(', ')} ms`)
    }
  })
} finally {
  await databases.stop()
}
