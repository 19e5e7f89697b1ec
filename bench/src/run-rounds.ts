import { spawnSync } from 'node:child_process'
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
  const { warmUp, rounds } = options
  const run = runner(options)
  const runs: Run[] = []
  for (let round = 1 - warmUp; round <= rounds; round++) {
    for (const work of options.works) {
      for (const one of ableTo(work, running)) {
        const done = await run(one, work)
        report(round, done)
        if (round > 0) runs.push(done)
      }
    }
  }
  return runs
}

/**
 * One work after the other. All services are warmed for `warmUp` seconds, then they take turns, for `seconds` in each round. All of them
 * run on one core and the load on another, where `taskset` is.
 */
export async function runByTime(running: readonly Running[], options: Options): Promise<Run[]> {
  const { warmUp, seconds, rounds } = options
  const pins = [pin(process.pid, 1), ...running.map(({ pid }) => pin(pid, 0))]
  if (pins.includes(false)) console.error('There is no taskset, or one core: services and load are not kept apart.')
  const run = runner(options)
  const runFor = async (most: number, one: Running, work: WorkName): Promise<Run> => {
    let [requests, spent] = [0, 0]
    while (spent < most) {
      const { perSecond } = await run(one, work)
      requests += options.requests
      spent += options.requests / perSecond
    }
    return { work, title: one.title, perSecond: requests / spent }
  }
  const runs: Run[] = []
  for (const work of options.works) {
    const able = ableTo(work, running)
    for (const one of able) report(0, await runFor(warmUp, one, work))
    for (let round = 1; round <= rounds; round++) {
      for (const one of able) {
        const done = await runFor(seconds, one, work)
        report(round, done)
        runs.push(done)
      }
    }
  }
  return runs
}

const ableTo = (work: WorkName, running: readonly Running[]) => running.filter(({ works }) => works[work] !== undefined)

/** Runs a work once, from the records on that each run begins with. */
function runner(options: Options) {
  const { records, requests } = options
  const asSeeded = new Set<Running>()
  return async (one: Running, work: WorkName): Promise<Run> => {
    const request = one.works[work]
    if (request === undefined) throw new Error(`${one.title} does not ${work}`)
    if (!asSeeded.has(one)) await seed(one.location, records)
    await runLoad(one.works.read, one, { ...options, requests: Math.min(FIRST_READS, requests) })
    if (request(1).method === 'GET') asSeeded.add(one)
    else asSeeded.delete(one)
    return { work, title: one.title, perSecond: await runLoad(request, one, options) }
  }
}

function report(round: number, { work, title, perSecond }: Run): void {
  console.error(`round ${round}: ${work}, ${title}: ${perSecond.toFixed()}/s`)
}

/** Has a process and its threads run on that core only; false where that is not possible. */
function pin(pid: number, core: number): boolean {
  return spawnSync('taskset', ['-acp', String(core), String(pid)]).status === 0
}
