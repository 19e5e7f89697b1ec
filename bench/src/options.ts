import { parseArgs } from 'node:util'
import { DATABASES } from './databases.ts'
import { keysOf, WORKS } from './works.ts'

export type Options<Side extends string = string> = ReturnType<typeof readOptions<Side>>

/** The options of the command line: `--rounds 3 --works read,list`. @throws TypeError for what there is not. */
export function readOptions<Side extends string>(sides: Readonly<Record<Side, unknown>>) {
  const names = [
    'starts',
    'warm-up',
    'rounds',
    'seconds',
    'records',
    'requests',
    'connections',
    'databases',
    'works',
    'sides',
    'commit',
  ] as const
  const { values } = parseArgs({
    // pnpm passes on the `--` that npm asks for.
    args: process.argv.slice(2).filter((arg) => arg !== '--'),
    options: Object.fromEntries(names.map((name) => [name, { type: 'string' as const }])),
  })
  const number = (name: (typeof names)[number], otherwise: number): number => {
    const value = Number(values[name] ?? otherwise)
    if (Number.isInteger(value) && value >= 0) return value
    throw new TypeError(`--${name} ${values[name]}: must be a whole number`)
  }
  const some = <Name extends string>(name: (typeof names)[number], all: readonly Name[]): Name[] => {
    const wanted = values[name]?.toString().split(',') ?? all
    const unknown = wanted.filter((one) => !all.some((known) => known === one))
    if (unknown.length > 0) throw new TypeError(`--${name}: no ${unknown.join()}; there are ${all.join()}`)
    return all.filter((one) => wanted.includes(one))
  }
  return {
    starts: number('starts', 2),
    warmUp: number('warm-up', 8),
    rounds: number('rounds', 15),
    seconds: number('seconds', 2),
    records: number('records', 2_000),
    requests: number('requests', Number(values.records ?? 2_000)),
    connections: number('connections', 16),
    databases: some('databases', keysOf(DATABASES)),
    works: some('works', keysOf(WORKS)),
    sides: some('sides', keysOf(sides)),
    commit: values.commit?.toString(),
  }
}
