import { connect } from '../load/connect.ts'
import type { BenchAnswer, BenchRequest } from '../load/request.ts'
import { PAGE, type WorkName, works } from '../load/work.ts'
import { CHILDREN, RECORDS } from '../records.ts'
import { peers } from './peers.ts'
import type { RunningPeer } from './start-peer.ts'

/** What there is of the first record before and after a request. */
interface Rows {
  readonly parents: number
  readonly children: number
  /** `name quantity` */
  readonly first: string
  /** `id name quantity` each. */
  readonly firstsChildren: readonly string[]
}

/** Has the peer do each work once. @throws Error if it did not do all of it. */
export async function checkPeer(peer: RunningPeer): Promise<void> {
  for (const { name: work } of works) {
    const workload = peer.workloads[work]
    if (workload === undefined) continue
    const records = RECORDS + 1
    await peer.reset(records, work)
    const before = rowsOf(peer)
    const request = workload.requests({ connection: 0, connections: 1, records }).next()
    const answer = await askOnce(peer.port, request as BenchRequest)
    const children = workload.alone === true ? 0 : CHILDREN
    if (answer.status === workload.status && isDone(work, answer, before, rowsOf(peer), children)) continue
    throw new Error(`${peer.name} did not do all of '${work}': ${answer.status} ${answer.body.slice(0, 2_000)}`)
  }
}

function isDone(work: WorkName, { body }: BenchAnswer, before: Rows, after: Rows, children: number): boolean {
  const named = (name: string) => body.match(new RegExp(`"${name} \\d+"`, 'g'))?.length ?? 0
  switch (work) {
    case 'read':
      return named('parent') === 1 && named('child') === children
    case 'list':
      return named('parent') === PAGE && named('child') === PAGE * children
    case 'create':
      return after.parents === before.parents + 1 && after.children === before.children + children
    case 'replace': {
      const ids = before.firstsChildren.map(idOf)
      const kept = after.firstsChildren.filter((child) => ids.includes(idOf(child)))
      const isUpdated = kept.every((child) => !before.firstsChildren.includes(child))
      return after.first !== before.first && after.children === before.children && kept.length === 2 && isUpdated
    }
    case 'patch':
      return after.first !== before.first
    case 'delete':
      return after.parents === before.parents - 1 && after.children === before.children - children
  }
}

function rowsOf({ database, name }: RunningPeer): Rows {
  const { parent, child, id, foreignKey } = peers[name].names
  const value = (query: string) => database.prepare<[], never>(query).pluck().all()
  const [parents = 0] = value(`select count(*) from ${parent}`)
  const [children = 0] = value(`select count(*) from ${child}`)
  const [first = ''] = value(`select name || ' ' || quantity from ${parent} where ${id} = 1`)
  const firstsChildren = value(
    `select ${id} || ' ' || name || ' ' || quantity from ${child} where ${foreignKey} = 1 order by ${id}`,
  )
  return { parents, children, first, firstsChildren }
}

function idOf(child: string): string {
  return child.slice(0, child.indexOf(' '))
}

async function askOnce(port: number, request: BenchRequest): Promise<BenchAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<BenchAnswer>()
  const connection = await connect(port, resolve, reject)
  connection.send(request)
  return promise.finally(connection.close)
}
