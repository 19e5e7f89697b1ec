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

/**
 * Has every contender do every work in turn, round after round, each time from the same records on. The round before the
 * first is not counted: until its end, services are still being compiled.
 */
export async function runRounds(
  title: string,
  contenders: readonly Contender[],
  load: Load,
  { rounds, workloads, connections, warmUp, seconds }: Options,
): Promise<Runs[]> {
  const results = new Map<string, { work: WorkName; side: string; runs: LoadResult[] }>()
  for (let round = 0; round <= rounds; round++) {
    for (const { name: work, recordsFor } of works) {
      if (!workloads.includes(work)) continue
      for (const { name: side, port, workloads, reset } of contenders) {
        const workload = workloads[work]
        if (workload === undefined) continue
        const records = recordsFor(warmUp + seconds, workload.mostDeleted)
        await reset(records, work)
        const run = await load.run({ port, side, work, connections, records, warmUp, seconds })
        console.error(`${title}, round ${round}: ${work} ${side} ${Math.round(run.perSecond)}/s`)
        if (round === 0) continue
        const key = `${work} ${side}`
        const result = results.get(key) ?? { work, side, runs: [] }
        results.set(key, result)
        result.runs.push(run)
      }
    }
  }
  return [...results.values()]
}
