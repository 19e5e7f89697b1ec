import type { Row } from '../model/model.ts'
import { barOf, momentOf, numberText } from './groups.ts'

interface LineChartProps {
  readonly rows: readonly Row[]
  readonly by: string
  readonly value: string
}

/** Values over time. The table below has the same as text, and each period in which there is nothing is none there. */
export function LineChart({ rows, by, value }: LineChartProps) {
  const all = rows.map((row) => row[value])
  const found = rows.flatMap((row) => {
    const moment = momentOf(row[by])
    return moment === undefined ? [] : [{ name: String(row[by]), moment, value: row[value] }]
  })
  const [first, last] = [found[0], found.at(-1)]
  if (first === undefined || last === undefined || first === last) return null
  const points = found.map(({ moment, value: own }) => ({
    x: ((moment - first.moment) / (last.moment - first.moment)) * 100,
    y: 40 - barOf(own, all) * 0.4,
  }))
  const line = points.map(({ x, y }, index) => `${index === 0 ? 'M' : 'L'}${x.toFixed(2)} ${y.toFixed(2)}`).join('')
  const most = numberText(all.reduce((best, one) => (Number(one) > Number(best) ? one : best)))
  return (
    <figure className="line-chart" aria-hidden="true">
      <div className="soft small">{most}</div>
      <svg viewBox="0 0 100 40" preserveAspectRatio="none" aria-hidden="true">
        <path className="area" d={`${line}L100 40L0 40Z`} />
        <path className="line" d={line} />
      </svg>
      <figcaption className="soft small">
        <span>{first.name}</span>
        <span>{last.name}</span>
      </figcaption>
    </figure>
  )
}
