import { writeFile } from 'node:fs/promises'
import { sqliteFiles } from '../databases/sqlite-files.ts'
import { startLoad } from '../load/start-load.ts'
import { readOptions } from '../options.ts'
import { circumstancesOf, toResults } from '../report/to-results.ts'
import { rateColumn, ratioColumn, toIntroduction, toTable } from '../report/to-table.ts'
import { runRounds } from '../run-rounds.ts'
import { withSides } from '../run-sides.ts'
import { checkPeer } from './check-peer.ts'
import { installPeers } from './install-peers.ts'
import { peers } from './peers.ts'
import { type RunningPeer, startPeer } from './start-peer.ts'

const options = { ...readOptions('results-peers.json'), starts: 1 }
const circumstances = circumstancesOf(options)
installPeers()

const files = await sqliteFiles()
const load = await startLoad(true)
const running: RunningPeer[] = []
try {
  for (const name of options.peers) {
    const peer = await startPeer(name)
    running.push(peer)
    await checkPeer(peer)
  }
  const runs = await withSides(files, ['ours'], (sides) => runRounds('peers', [...sides, ...running], load, options))
  const results = toResults(runs)
  await writeFile(options.out, `${JSON.stringify({ ...circumstances, results }, undefined, 2)}\n`)
  const table = toTable('SQLite', results, [
    rateColumn('ours', 'fastify-crud'),
    ...running.map(({ name, workloads }) =>
      rateColumn(name, peers[name].title, ({ work }) => (workloads[work]?.alone === true ? ' *' : '')),
    ),
    ...running.map(({ name }) => ratioColumn(name, peers[name].title)),
  ])
  console.log(`${toIntroduction(circumstances)}\n\n${table}\n\n\\* The parent alone, without its children.`)
} finally {
  for (const peer of running) await peer.stop()
  await load.stop()
  await files.stop()
}
