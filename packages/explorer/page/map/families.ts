import type { Graph, GraphEdge } from './graph.ts'
import { BOX, type DrawnEdge, ends, type Placed, type Point } from './placed.ts'

/** Between families, in pixels. */
const GAP = 56
/** How much wider than high the map becomes, about as a window is. */
const ASPECT = 1.7

interface Family extends Placed {
  readonly nodes: readonly string[]
}

/**
 * A large model by its families: an owner with all that it owns, and what nobody else is related to. Each is laid out by
 * itself, and they fill rows, what is needed above what needs it: in one row each, they would be too wide to be read.
 */
export function placedByFamilies({ nodes, edges }: Graph, place: (graph: Graph) => Placed): Placed {
  const families = familiesIn(nodes, edges).map((members): Family => {
    const inside = new Set(members)
    return {
      nodes: members,
      ...place({ nodes: members, edges: edges.filter(({ from, to }) => inside.has(from) && inside.has(to)) }),
    }
  })
  const familyOf = new Map(families.flatMap((family) => family.nodes.map((node) => [node, family] as const)))
  const between = edges.filter(({ from, to }) => familyOf.get(from) !== familyOf.get(to))
  const boxes = new Map<string, Point>()
  const drawn: DrawnEdge[] = []
  const most = Math.max(
    ...families.map(({ width }) => width),
    Math.sqrt(families.reduce((sum, { width, height }) => sum + (width + GAP) * (height + GAP), 0) * ASPECT),
  )
  let [x, y, rowHeight, width] = [0, 0, 0, 0]
  for (const family of inOrder(families, between, familyOf)) {
    if (x > 0 && x + family.width > most) [x, y, rowHeight] = [0, y + rowHeight + GAP, 0]
    const moved = (point: Point): Point => ({ x: point.x + x, y: point.y + y })
    for (const [node, corner] of family.boxes) boxes.set(node, moved(corner))
    for (const line of family.drawn) drawn.push({ ...line, points: line.points.map(moved) })
    x += family.width + GAP
    width = Math.max(width, x - GAP)
    rowHeight = Math.max(rowHeight, family.height)
  }
  for (const edge of between) drawn.push(straight(edge, boxes))
  return { boxes, drawn, width, height: y + rowHeight }
}

/** Resources that belong together: by ownership, or because they are related to one other resource alone. */
function familiesIn(nodes: readonly string[], edges: readonly GraphEdge[]): string[][] {
  const heads = new Map(nodes.map((node) => [node, node]))
  const headOf = (node: string): string => {
    const head = heads.get(node) as string
    return head === node ? node : headOf(head)
  }
  const degrees = new Map<string, number>()
  for (const { from, to } of edges) for (const end of new Set([from, to])) degrees.set(end, (degrees.get(end) ?? 0) + 1)
  for (const { kind, from, to } of edges) {
    if (kind === 'owned' || degrees.get(from) === 1 || degrees.get(to) === 1) heads.set(headOf(to), headOf(from))
  }
  return [...Map.groupBy(nodes, headOf).values()]
}

/** What others need first, and near to each other what is related. */
function inOrder(
  families: readonly Family[],
  between: readonly GraphEdge[],
  familyOf: ReadonlyMap<string, Family>,
): readonly Family[] {
  const depths = new Map(families.map((family) => [family, 0]))
  const pairs = between.map((edge) => ends(edge).map((node) => familyOf.get(node) as Family) as [Family, Family])
  // Relations may make a circle: as many rounds as a chain of needs is long in earnest.
  for (let round = 0; round < 8; round += 1) {
    for (const [upper, lower] of pairs) {
      const depth = Math.max(depths.get(lower) ?? 0, (depths.get(upper) ?? 0) + 1)
      if (depth <= 8) depths.set(lower, depth)
    }
  }
  return families.toSorted((one, other) => (depths.get(one) ?? 0) - (depths.get(other) ?? 0))
}

function straight(edge: GraphEdge, boxes: ReadonlyMap<string, Point>): DrawnEdge {
  const [one, other] = ends(edge)
  const y = (node: string): number => boxes.get(node)?.y ?? 0
  const [upper, lower] = y(one) <= y(other) ? [one, other] : [other, one]
  const middle = (node: string): Point => ({
    x: (boxes.get(node)?.x ?? 0) + BOX.width / 2,
    y: y(node) + BOX.height / 2,
  })
  return { edge, upper, lower, points: [middle(upper), middle(lower)] }
}
