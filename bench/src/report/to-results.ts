import { cpus as machineCpus } from 'node:os'
import { type WorkName, works } from '../load/work.ts'
import type { Options } from '../options.ts'
import type { Runs } from '../run-rounds.ts'
import { ratioOf, type Spread, spreadOf } from './statistics.ts'

export interface SideResult {
  /** Requests per second. */
  readonly perSecond: Spread
  /** Milliseconds, medians of the runs'. */
  readonly latency: { readonly p50: number; readonly p99: number }
  /** Requests per second of each round. */
  readonly rounds: readonly number[]
}

export interface WorkResult {
  readonly work: WorkName
  readonly title: string
  readonly sides: Readonly<Record<string, SideResult>>
  /** How many times as fast `ours` is. */
  readonly ratios: Readonly<Record<string, Spread>>
}

/** Where and how something was measured. */
export interface Circumstances {
  readonly date: string
  readonly node: string
  readonly cpu: string
  readonly options: Options
}

export function circumstancesOf(options: Options): Circumstances {
  const cpu = `${machineCpus().length} × ${machineCpus()[0]?.model ?? 'unknown'}`
  return { date: new Date().toISOString(), node: process.version, cpu, options }
}

/** The runs of one database, work by work. */
export function toResults(runs: readonly Runs[]): WorkResult[] {
  return works.flatMap(({ name: work, title }) => {
    const here = runs.filter((one) => one.work === work)
    if (here.length === 0) return []
    const ours = here.find((one) => one.side === 'ours')
    const sides = here.map((one) => [one.side, sideResult(one)] as const)
    const ratios = here.flatMap((one) =>
      ours === undefined || one === ours ? [] : [[one.side, ratioOf(ratesOf(ours), ratesOf(one))] as const],
    )
    return [{ work, title, sides: Object.fromEntries(sides), ratios: Object.fromEntries(ratios) }]
  })
}

function ratesOf({ runs }: Runs): number[] {
  return runs.map((run) => run.perSecond)
}

function sideResult(one: Runs): SideResult {
  const latency = {
    p50: spreadOf(one.runs.map((run) => run.latency.p50)).median,
    p99: spreadOf(one.runs.map((run) => run.latency.p99)).median,
  }
  return { perSecond: spreadOf(ratesOf(one)), latency, rounds: ratesOf(one) }
}
