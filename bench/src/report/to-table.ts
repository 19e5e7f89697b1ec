import type { Spread } from './statistics.ts'
import type { Circumstances, WorkResult } from './to-results.ts'

export interface Column {
  readonly title: string
  cell(result: WorkResult): string
}

/** How it was measured, in a sentence. */
export function toIntroduction({ node, cpu, options }: Circumstances): string {
  const { starts, rounds, seconds, connections } = options
  return `Node ${node}, ${cpu}, ${connections} connections, ${starts} × ${rounds} rounds of ${seconds} s; requests per second and how many times as many, median (middle half).`
}

/** Results as a Markdown table, a line for each work. */
export function toTable(title: string, results: readonly WorkResult[], columns: readonly Column[]): string {
  const lines = [
    [title, ...columns.map((column) => column.title)],
    ['---', ...columns.map(() => '--:')],
    ...results.map((result) => [result.title, ...columns.map((column) => column.cell(result))]),
  ]
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}

/** Requests per second of a side. */
export function rateColumn(side: string, title: string, mark: (result: WorkResult) => string = () => ''): Column {
  return {
    title,
    cell(result) {
      const measured = result.sides[side]
      if (measured === undefined) return '–'
      return showSpread(measured.perSecond, (value) => Math.round(value).toLocaleString('en')) + mark(result)
    },
  }
}

/** How many times as fast as a side this library is. */
export function ratioColumn(side: string, title: string): Column {
  return {
    title: `times ${title}`,
    cell({ ratios }) {
      const ratio = ratios[side]
      return ratio === undefined ? '–' : showSpread(ratio, (value) => value.toFixed(2))
    },
  }
}

function showSpread({ median, lower, upper }: Spread, show: (value: number) => string): string {
  return `${show(median)} (${show(lower)}–${show(upper)})`
}
