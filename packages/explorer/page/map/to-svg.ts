import type { Graph, GraphEdge } from './graph.ts'
import { besideEnd, type Layout, pathThrough } from './layout.ts'
import { BOX, type Point } from './placed.ts'

const INK = '#1d2022'
const LINE = '#6d757e'

/** The ends of lines, as UML has them: owned, needed and known. */
const MARKERS = `<defs>
<marker id="owned" viewBox="0 0 16 10" refX="0" refY="5" markerWidth="16" markerHeight="10" orient="auto"><path d="M0 5L8 1L16 5L8 9z" fill="${LINE}"/></marker>
<marker id="needed" viewBox="0 0 12 12" refX="11" refY="6" markerWidth="12" markerHeight="12" orient="auto"><path d="M2 1L8 6L2 11M11 1V11" fill="none" stroke="${LINE}" stroke-width="1.4"/></marker>
<marker id="known" viewBox="0 0 12 12" refX="10" refY="6" markerWidth="12" markerHeight="12" orient="auto"><path d="M3 1L10 6L3 11" fill="none" stroke="${LINE}" stroke-width="1.4"/></marker>
</defs>`

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')

/** The map as a picture that stands by itself. */
export function toSvg(graph: Graph, layout: Layout): string {
  const lines = graph.edges.map((edge) => lineOf(edge, layout.lines.get(edge.id) ?? []))
  const boxes = graph.nodes.map((node) => boxOf(node, layout.boxes.get(node) as Point))
  const { width, height } = layout
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" font-family="Inter, system-ui, sans-serif" font-size="13">
${MARKERS}
<rect width="100%" height="100%" fill="#fff"/>
${[...lines, ...boxes].join('\n')}
</svg>
`
}

function lineOf({ kind, fromMany, toMany }: GraphEdge, points: readonly Point[]): string {
  const [first, second] = points
  const [last, before] = [points.at(-1), points.at(-2)]
  if (!first || !second || !last || !before) return ''
  const marker = kind === 'owned' ? 'marker-start="url(#owned)"' : `marker-end="url(#${kind})"`
  const dash = kind === 'known' ? ' stroke-dasharray="5 4"' : ''
  const numbers = [
    [fromMany, besideEnd(first, second)],
    [toMany, besideEnd(last, before)],
  ] as const
  const texts = numbers.map(
    ([text, { x, y }]) => `<text x="${x}" y="${y}" font-size="11" fill="${LINE}">${text}</text>`,
  )
  return `<path d="${pathThrough(points)}" fill="none" stroke="${LINE}" ${marker}${dash}/>${texts.join('')}`
}

function boxOf(node: string, { x, y }: Point): string {
  const middle = { x: x + BOX.width / 2, y: y + BOX.height / 2 + 4.5 }
  return `<rect x="${x}" y="${y}" width="${BOX.width}" height="${BOX.height}" rx="7" fill="#fff" stroke="${LINE}"/><text x="${middle.x}" y="${middle.y}" text-anchor="middle" font-weight="600" fill="${INK}">${escaped(node)}</text>`
}
