import dagre from '@dagrejs/dagre'
import { placedByFamilies } from './families.ts'
import type { Graph, GraphEdge } from './graph.ts'
import { BOX, type DrawnEdge, ends, type Placed, type Point } from './placed.ts'

export interface Layout {
  /** The upper left corner of each box. */
  readonly boxes: ReadonlyMap<string, Point>
  /** The way of each line, from its first end to its last. */
  readonly lines: ReadonlyMap<string, readonly Point[]>
  readonly width: number
  readonly height: number
}

/** Larger models are laid out by families. */
const SMALL = 40

/** Owners above what they own, and what is needed above what needs it, with as few crossings as can be found. */
export function layoutOf(graph: Graph): Layout {
  const { boxes, drawn, width, height } = graph.nodes.length <= SMALL ? placed(graph) : placedByFamilies(graph, placed)
  spread(drawn, boxes)
  const lines = new Map<string, readonly Point[]>(
    graph.edges.flatMap(({ id, from, to }) => (from === to ? [[id, loopAt(boxes.get(from) as Point)] as const] : [])),
  )
  // From here on a line goes from its first end to its last.
  for (const { edge, upper, points } of drawn) lines.set(edge.id, upper === edge.from ? points : points.toReversed())
  return { boxes, lines, width, height }
}

/** By dagre: resources that are related in rows from above to below. */
function placed({ nodes, edges }: Graph): Placed {
  const graph = new dagre.graphlib.Graph({ multigraph: true })
  graph.setGraph({
    rankdir: 'TB',
    nodesep: 36,
    ranksep: 74,
    edgesep: 18,
    marginx: 30,
    marginy: 30,
    ranker: 'network-simplex',
  })
  graph.setDefaultEdgeLabel(() => ({}))
  for (const node of nodes) graph.setNode(keyOf(node), { ...BOX })
  for (const edge of edges) {
    if (edge.from === edge.to) continue
    const [upper, lower] = ends(edge)
    graph.setEdge(keyOf(upper), keyOf(lower), { weight: edge.kind === 'owned' ? 4 : 1 }, edge.id)
  }
  dagre.layout(graph)
  const boxes = new Map(nodes.map((node) => [node, corner(graph.node(keyOf(node)) as Point)]))
  const drawn = edges.filter(({ from, to }) => from !== to).map((edge) => drawnEdge(graph, edge))
  const { width = 0, height = 0 } = graph.graph() as { width?: number; height?: number }
  return { boxes, drawn, width, height }
}

/** For the library, whose maps are objects, in which `__proto__` is no name. */
const keyOf = (node: string): string => `.${node}`

const corner = ({ x, y }: Point): Point => ({ x: x - BOX.width / 2, y: y - BOX.height / 2 })

/** Where relations make a circle, one of them goes up: it is drawn the other way round. */
function drawnEdge(graph: InstanceType<typeof dagre.graphlib.Graph>, edge: GraphEdge): DrawnEdge {
  const [first, last] = ends(edge)
  const { points } = graph.edge({ v: keyOf(first), w: keyOf(last), name: edge.id }) as { points: Point[] }
  const isDown = (graph.node(keyOf(first)) as Point).y <= (graph.node(keyOf(last)) as Point).y
  const [upper, lower] = isDown ? [first, last] : [last, first]
  return { edge, upper, lower, points: isDown ? [...points] : points.toReversed() }
}

/** Gives each line a place of its own at the sides of its boxes, in the order of where the lines go. */
function spread(drawn: readonly DrawnEdge[], boxes: ReadonlyMap<string, Point>): void {
  const byNext = (index: number) => (one: DrawnEdge, other: DrawnEdge) =>
    at(one.points, index).x - at(other.points, index).x
  for (const [node, { x, y }] of boxes) {
    const below = drawn.filter(({ upper }) => upper === node).sort(byNext(1))
    const above = drawn.filter(({ lower }) => lower === node).sort(byNext(-2))
    const placeOf = (index: number, all: number) => x + (BOX.width * (index + 1)) / (all + 1)
    below.forEach(({ points }, index) => {
      points[0] = { x: placeOf(index, below.length), y: y + BOX.height }
    })
    above.forEach(({ points }, index) => {
      points[points.length - 1] = { x: placeOf(index, above.length), y }
    })
  }
  // Straight out of a box, so that the sign of its kind is upright.
  for (const { points } of drawn) {
    const [first, last] = [at(points, 0), at(points, -1)]
    points.splice(1, 0, { x: first.x, y: first.y + STUB })
    points.splice(-1, 0, { x: last.x, y: last.y - STUB })
  }
}

/** So far a line goes straight. */
const STUB = 22

const at = (points: readonly Point[], index: number): Point => points.at(index) as Point

/** A resource that is related to itself: around its lower right corner. */
function loopAt({ x, y }: Point): Point[] {
  const [right, bottom] = [x + BOX.width, y + BOX.height]
  return [
    { x: right - 34, y: bottom },
    { x: right - 34, y: bottom + 22 },
    { x: right + 24, y: bottom + 22 },
    { x: right + 24, y: bottom - 14 },
    { x: right, y: bottom - 14 },
  ]
}

/** A line with round corners. */
export function pathThrough(points: readonly Point[]): string {
  const [first, ...rest] = points
  if (first === undefined) return ''
  const parts = rest.map((point, index) => {
    const next = rest[index + 1]
    if (next === undefined) return `L${point.x},${point.y}`
    return `Q${point.x},${point.y} ${(point.x + next.x) / 2},${(point.y + next.y) / 2}`
  })
  return [`M${first.x},${first.y}`, ...parts].join(' ')
}

/** Where the number of an end stands: beside the line, a little away from the box. */
export function besideEnd(end: Point, before: Point): Point {
  const length = Math.hypot(before.x - end.x, before.y - end.y) || 1
  const [along, across] = [(before.x - end.x) / length, (before.y - end.y) / length]
  return { x: end.x + along * 18 + 9, y: end.y + across * 18 + (across < 0 ? 0 : 4) }
}
