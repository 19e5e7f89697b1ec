import type { Running } from './contender.ts'
import { seed } from './databases.ts'
import type { Options } from './options.ts'
import { runLoad } from './run-load.ts'
import type { WorkName } from './works.ts'

export interface Run {
  readonly work: WorkName
  readonly title: string
  readonly perSecond: number
}

/** Reads before each run that are not counted: until then the caches are those of the records that were replaced. */
const FIRST_READS = 200

/** Has every service do every work in turn, round after round, each time from the same records on. */
export async function runRounds(running: readonly Running[], options: Options): Promise<Run[]> {
  const { warmUp, rounds, records, requests } = options
  const runs: Run[] = []
  const asSeeded = new Set<Running>()
  for (let round = 1 - warmUp; round <= rounds; round++) {
    for (const work of options.works) {
      for (const one of running) {
        const request = one.works[work]
        if (request === undefined) continue
        if (!asSeeded.has(one)) await seed(one.location, records)
        await runLoad(one.works.read, one, { ...options, requests: Math.min(FIRST_READS, requests) })
        if (request(1).method === 'GET') asSeeded.add(one)
        else asSeeded.delete(one)
        const perSecond = await runLoad(request, one, options)
        console.error(`round ${round}: ${work}, ${one.title}: ${perSecond.toFixed()}/s`)
        if (round > 0) runs.push({ work, title: one.title, perSecond })
      }
    }
  }
  return runs
}
