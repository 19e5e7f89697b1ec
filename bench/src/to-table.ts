import { cpus } from 'node:os'
import type { Contender } from './contender.ts'
import type { Options } from './options.ts'
import type { Run } from './run-rounds.ts'
import { WORKS } from './works.ts'

/** Where and how it was measured. */
export function introductionOf({ starts, rounds, records, requests, connections }: Options): string {
  const machine = `Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model}, ${connections} connections`
  const figures = 'requests per second and how many times as many, median (middle half)'
  return `${machine}, ${starts} × ${rounds} rounds of ${requests} requests on ${records} records; ${figures}.`
}

/** In Markdown: the requests per second of all, and how many times those of each other one the first one's are. */
export function toTable(heading: string, runs: readonly Run[], contenders: readonly Contender[]): string {
  const [first, ...others] = contenders
  const header = [heading, ...contenders.map(({ title }) => title), ...others.map(({ title }) => `times ${title}`)]
  const lines = [...new Set(runs.map(({ work }) => work))].map((work) => {
    const ratesOf = (one?: Contender) =>
      runs.filter((run) => run.work === work && run.title === one?.title).map((run) => run.perSecond)
    const rates = contenders.map((one) => show(ratesOf(one), (rate) => Math.round(rate).toLocaleString('en')))
    // Within a round, what slows the machine down slows down all of them.
    const firstRates = ratesOf(first)
    const ratios = others.map((other) => {
      const ofRounds = ratesOf(other).map((rate, round) => (firstRates[round] ?? Number.NaN) / rate)
      return show(ofRounds, (ratio) => ratio.toFixed(2))
    })
    return [WORKS[work], ...rates, ...ratios]
  })
  return [header, header.map((_, column) => (column === 0 ? '---' : '--:')), ...lines]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n')
}

/** The median, and what the middle half lies between: the others tell of the machine. */
function show(values: readonly number[], format: (value: number) => string): string {
  if (values.length === 0) return '–'
  const at = (share: number) => format(quantile(values, share))
  return `${at(0.5)} (${at(0.25)}–${at(0.75)})`
}

/** The value that this share of the values is below. */
export function quantile(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.round((values.length - 1) * share)] ?? Number.NaN
}
