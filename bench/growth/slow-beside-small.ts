/** How long small reads take on PostgreSQL alone, and beside one big PUT after the other: `[seconds] [children]`. */
import { postgresServer } from '../src/databases/postgres-server.ts'
import type { LoadResult } from '../src/load/run-load.ts'
import { startLoad } from '../src/load/start-load.ts'
import { RECORDS } from '../src/records.ts'
import { withSides } from '../src/run-sides.ts'
import { askForRecord, newChildren } from './big-record.ts'

const seconds = Number(process.argv[2] ?? 3)
const count = Number(process.argv[3] ?? 10_000)

const databases = await postgresServer()
const load = await startLoad(false)
try {
  await withSides(databases, ['ours'], async ([side]) => {
    if (side === undefined) return
    const { port } = side.server
    await side.database.reset(RECORDS)
    const small = () =>
      load.run({ port, side: 'ours', work: 'read', connections: 8, records: RECORDS, warmUp: 0.5, seconds })
    console.log(`small reads alone: ${show(await small())}`)

    const body = { name: 'big', quantity: 1, children: newChildren(count, 0) }
    let { record } = await askForRecord(port, 'POST', '/api/parent', body)
    let isOver = false
    const times: number[] = []
    const big = async () => {
      for (let turn = 1; !isOver; turn++) {
        const next = { ...record, children: newChildren(count, turn) }
        const answer = await askForRecord(port, 'PUT', `/api/parent/${record.id}`, next)
        record = answer.record
        times.push(answer.milliseconds)
      }
    }
    const putting = big()
    const beside = await small()
    isOver = true
    await putting
    console.log(`small reads beside PUTs of ${count} children: ${show(beside)}`)
    console.log(`these PUTs: ${times.map((time) => time.toFixed(0)).join(', ')} ms`)
  })
} finally {
  await load.stop()
  await databases.stop()
}

function show({ perSecond, latency }: LoadResult): string {
  const { p50, p99, max } = latency
  return `${perSecond.toFixed(0)} a second, ${p50.toFixed(2)} ms (p99 ${p99.toFixed(1)}, longest ${max.toFixed(1)})`
}
