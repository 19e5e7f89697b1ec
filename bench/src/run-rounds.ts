import type { Contender } from './contender.ts'
import type { LoadResult } from './load/run-load.ts'
import type { Load } from './load/start-load.ts'
import { type WorkName, works } from './load/work.ts'
import type { Options } from './options.ts'

/** One contender's runs of one work, one for each round. */
export interface Runs {
  readonly work: WorkName
  readonly side: string
  readonly runs: readonly LoadResult[]
}

/** Rounds that are not counted, and the seconds of each run in them, or more: until then services are still being compiled. */
const FIRST_ROUNDS = 4
const FIRST_SECONDS = 0.5

/**
 * Has every contender do every work in turn, round after round, each time from the same records on. The first ones are not
 * counted.
 */
export async function runRounds(
  title: string,
  contenders: readonly Contender[],
  load: Load,
  { rounds, workloads, connections, warmUp, seconds }: Options,
): Promise<Runs[]> {
  const results = new Map<string, { work: WorkName; side: string; runs: LoadResult[] }>()
  for (let round = 1 - FIRST_ROUNDS; round <= rounds; round++) {
    const duration = round < 1 ? Math.max(seconds, FIRST_SECONDS) : seconds
    for (const { name: work, recordsFor } of works) {
      if (!workloads.includes(work)) continue
      for (const { name: side, port, workloads, reset } of contenders) {
        const workload = workloads[work]
        if (workload === undefined) continue
        const records = recordsFor(warmUp + duration, workload.mostDeleted)
        await reset(records, work)
        const run = await load.run({ port, side, work, connections, records, warmUp, seconds: duration })
        console.error(`${title}, round ${round}: ${work} ${side} ${Math.round(run.perSecond)}/s`)
        if (round < 1) continue
        const key = `${work} ${side}`
        const result = results.get(key) ?? { work, side, runs: [] }
        results.set(key, result)
        result.runs.push(run)
      }
    }
  }
  return [...results.values()]
}

/** Runs of several starts as if they were of one. */
export function joinStarts(starts: readonly (readonly Runs[])[]): Runs[] {
  const [first = [], ...others] = starts
  return first.map(({ work, side, runs }) => {
    const same = others.flatMap((start) => start.filter((one) => one.work === work && one.side === side))
    return { work, side, runs: [...runs, ...same.flatMap((one) => one.runs)] }
  })
}
