import { parseArgs } from 'node:util'
import type { DatabaseName } from './databases/bench-database.ts'
import { type WorkName, works } from './load/work.ts'
import { PEERS, type PeerName } from './peers/peers.ts'
import { SIDES, type SideName } from './sides.ts'

export interface Options {
  /** How often the services are started; peers are once. */
  readonly starts: number
  /** Of each start. */
  readonly rounds: number
  /** Seconds of one run, after its warm-up. */
  readonly seconds: number
  readonly warmUp: number
  readonly connections: number
  readonly databases: readonly DatabaseName[]
  readonly sides: readonly SideName[]
  readonly peers: readonly PeerName[]
  readonly workloads: readonly WorkName[]
  /** The file that the results go to. */
  readonly out: string
}

const DATABASES = ['sqlite', 'postgres'] as const

const shared = {
  starts: '2',
  rounds: '15',
  seconds: '0.15',
  'warm-up': '0.08',
  connections: '16',
  databases: DATABASES.join(),
  sides: SIDES.filter((side) => side !== 'guarded').join(),
  peers: PEERS.join(),
  workloads: works.map((work) => work.name).join(),
}

type OptionName = keyof typeof shared | 'out'

/**
 * The options from the command line (`--rounds 3 --workloads read,list`) or the environment (`BENCH_ROUNDS=3`).
 *
 * @throws TypeError for what there is not.
 */
export function readOptions(out = 'results.json'): Options {
  const defaults = { ...shared, out }
  const names = Object.keys(defaults) as OptionName[]
  const { values } = parseArgs({
    // pnpm passes the `--` on that npm wants.
    args: process.argv.slice(2).filter((arg) => arg !== '--'),
    options: Object.fromEntries(names.map((name) => [name, { type: 'string' as const }])),
  })
  const text = (name: OptionName): string => {
    const inEnvironment = process.env[`BENCH_${name.replace('-', '_').toUpperCase()}`]
    return String(values[name] ?? inEnvironment ?? defaults[name])
  }
  const number = (name: OptionName): number => {
    const value = Number(text(name))
    if (value > 0) return value
    throw new TypeError(`--${name} ${text(name)}: must be more than 0`)
  }
  const some = <Name extends string>(name: OptionName, all: readonly Name[]): readonly Name[] => {
    const wanted = text(name).split(',')
    const unknown = wanted.filter((one) => !all.includes(one as Name))
    if (unknown.length > 0) throw new TypeError(`--${name}: no ${unknown.join()}; there are ${all.join()}`)
    return all.filter((one) => wanted.includes(one))
  }
  return {
    starts: number('starts'),
    rounds: number('rounds'),
    seconds: number('seconds'),
    warmUp: number('warm-up'),
    connections: number('connections'),
    databases: some('databases', DATABASES),
    sides: some('sides', SIDES),
    peers: some('peers', PEERS),
    workloads: some(
      'workloads',
      works.map((work) => work.name),
    ),
    out: text('out'),
  }
}
