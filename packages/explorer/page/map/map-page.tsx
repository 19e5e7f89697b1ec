import '@xyflow/react/dist/base.css'
import '../style/map.css'
import {
  Background,
  Controls,
  type Edge,
  type EdgeProps,
  Handle,
  type Node,
  type NodeProps,
  Position,
  ReactFlow,
  ReactFlowProvider,
  useReactFlow,
  useStore,
} from '@xyflow/react'
import { useMemo, useState } from 'react'
import { hrefOf } from '../address.ts'
import { topPath } from '../model/names.ts'
import { saveFile } from '../parts/save-file.ts'
import { useList, useModel } from '../service/use-model.tsx'
import { settings } from '../settings.ts'
import { type Graph, type GraphEdge, graphOf, neighboursOf, toMermaid } from './graph.ts'
import { besideEnd, layoutOf, pathThrough } from './layout.ts'
import { BOX, type Point } from './placed.ts'
import { toSvg } from './to-svg.ts'

type BoxNode = Node<{ readonly isDim: boolean; readonly isFocus: boolean; readonly onFocus: () => void }, 'box'>
type LineEdge = Edge<{ readonly edge: GraphEdge; readonly points: readonly Point[]; readonly isDim: boolean }, 'line'>

/** Names of this zoom are too small to be read as they are. */
const FAR = 0.55

export function MapPage() {
  return (
    <ReactFlowProvider>
      <ModelMap />
    </ReactFlowProvider>
  )
}

/** The model as a diagram. A click on a name leads to its records, one on a box shows what it is related to. */
function ModelMap() {
  const model = useModel()
  const flow = useReactFlow()
  const graph = useMemo(() => graphOf(model), [model])
  const layout = useMemo(() => layoutOf(graph), [graph])
  const [text, setText] = useState('')
  const [focus, setFocus] = useState<string>()
  // From far away, names are larger, and there are no numbers.
  const isFar = useStore(({ transform: [, , zoom] }) => zoom < FAR)
  const near = useMemo(() => nearOf(graph, focus, text), [graph, focus, text])
  const isDim = (node: string) => near !== undefined && !near.has(node)

  const nodes = graph.nodes.map(
    (id): BoxNode => ({
      id,
      type: 'box',
      position: layout.boxes.get(id) as Point,
      data: { isDim: isDim(id), isFocus: id === focus, onFocus: () => setFocus(id === focus ? undefined : id) },
      width: BOX.width,
      height: BOX.height,
      ariaLabel: id,
    }),
  )
  const edges = graph.edges.map((edge): LineEdge => {
    const isNear = focus === undefined ? !isDim(edge.from) && !isDim(edge.to) : edge.from === focus || edge.to === focus
    return {
      id: edge.id,
      type: 'line',
      source: edge.from,
      target: edge.to,
      data: { edge, points: layout.lines.get(edge.id) ?? [], isDim: !isNear },
      ariaLabel: `${edge.from} ${edge.relation} ${edge.to}: ${edge.kind}`,
    }
  })
  const find = () => {
    const found = graph.nodes.filter((node) => node.toLowerCase().includes(text.toLowerCase()))
    void flow.fitView({ nodes: found.map((id) => ({ id })), maxZoom: 1.2, padding: 0.3 })
  }
  return (
    <>
      <div className="head">
        <h1>Map</h1>
        <span className="soft">{graph.nodes.length}</span>
        <search className="map-find">
          <input
            className="input"
            placeholder="Find a resource"
            aria-label="Find a resource"
            value={text}
            onChange={({ target }) => setText(target.value)}
            onKeyDown={({ key }) => key === 'Enter' && find()}
          />
        </search>
        {focus !== undefined && (
          <button type="button" className="button" onClick={() => setFocus(undefined)}>
            Show all
          </button>
        )}
        <span className="grow" />
        <button
          type="button"
          className="button plain"
          onClick={() => saveFile(`${settings.title}.svg`, 'image/svg+xml', toSvg(graph, layout))}
        >
          SVG
        </button>
        <button
          type="button"
          className="button plain"
          onClick={() => saveFile(`${settings.title}.mmd`, 'text/plain', toMermaid(graph))}
        >
          Mermaid
        </button>
      </div>
      <div className={`map${isFar ? ' far' : ''}`}>
        <ReactFlow
          nodes={nodes}
          edges={edges}
          nodeTypes={NODE_TYPES}
          edgeTypes={EDGE_TYPES}
          fitView
          fitViewOptions={{ maxZoom: 1.1, padding: 0.08 }}
          minZoom={0.1}
          maxZoom={2}
          nodesDraggable={false}
          nodesConnectable={false}
          edgesFocusable={false}
          onlyRenderVisibleElements
          onPaneClick={() => setFocus(undefined)}
        >
          <Markers />
          <Background gap={24} size={1} />
          <Controls showInteractive={false} />
        </ReactFlow>
      </div>
      <Legend />
    </>
  )
}

/** What is not dimmed: the resource in focus with its neighbours, or those whose name is looked for. */
function nearOf(graph: Graph, focus: string | undefined, text: string): ReadonlySet<string> | undefined {
  if (focus !== undefined) return neighboursOf(graph, focus)
  if (text.trim() === '') return undefined
  return new Set(graph.nodes.filter((node) => node.toLowerCase().includes(text.trim().toLowerCase())))
}

function Box({ id, data: { isDim, isFocus, onFocus } }: NodeProps<BoxNode>) {
  const resource = useModel().resources[id]
  const path = topPath(resource)
  const { data } = useList(path, 'limit=1&count=1000', resource?.operations.list === true)
  const count =
    data?.count === undefined ? '' : `${data.count.toLocaleString()}${data.countIs === 'atLeast' ? '+' : ''}`
  return (
    <div className={`map-box${isDim ? ' dim' : ''}${isFocus ? ' focus' : ''}`} title={resource?.description}>
      <Handle type="target" position={Position.Top} isConnectable={false} />
      {path === undefined ? (
        <span className="name">{id}</span>
      ) : (
        <a className="name nodrag nopan" href={hrefOf(path)}>
          {id}
        </a>
      )}
      <span className="soft small">{count}</span>
      <button
        type="button"
        className="map-focus nodrag nopan"
        aria-label={`Focus on ${id}`}
        aria-pressed={isFocus}
        onClick={onFocus}
      />
      <Handle type="source" position={Position.Bottom} isConnectable={false} />
    </div>
  )
}

function Line({ data }: EdgeProps<LineEdge>) {
  if (data === undefined) return null
  const { edge, points, isDim } = data
  const [first, second] = points
  const [last, before] = [points.at(-1), points.at(-2)]
  if (!first || !second || !last || !before) return null
  const marker = edge.kind === 'owned' ? { markerStart: 'url(#map-owned)' } : { markerEnd: `url(#map-${edge.kind})` }
  return (
    <g className={`map-line ${edge.kind}${isDim ? ' dim' : ''}`}>
      <title>{`${edge.from}.${edge.relation}: ${edge.kind}`}</title>
      <path d={pathThrough(points)} {...marker} />
      <text {...besideEnd(first, second)}>{edge.fromMany}</text>
      <text {...besideEnd(last, before)}>{edge.toMany}</text>
    </g>
  )
}

const NODE_TYPES = { box: Box }
const EDGE_TYPES = { line: Line }

const Markers = () => (
  <svg className="map-markers" aria-hidden="true">
    <defs>
      <marker
        id="map-owned"
        viewBox="0 0 16 10"
        refX="0"
        refY="5"
        markerWidth="16"
        markerHeight="10"
        orient="auto"
        markerUnits="userSpaceOnUse"
      >
        <path className="filled" d="M0 5L8 1L16 5L8 9z" />
      </marker>
      <marker
        id="map-needed"
        viewBox="0 0 12 12"
        refX="11"
        refY="6"
        markerWidth="12"
        markerHeight="12"
        orient="auto"
        markerUnits="userSpaceOnUse"
      >
        <path d="M2 1L8 6L2 11M11 1V11" />
      </marker>
      <marker
        id="map-known"
        viewBox="0 0 12 12"
        refX="10"
        refY="6"
        markerWidth="12"
        markerHeight="12"
        orient="auto"
        markerUnits="userSpaceOnUse"
      >
        <path d="M3 1L10 6L3 11" />
      </marker>
    </defs>
  </svg>
)

const KINDS = [
  ['owned', 'owns: a part of it, and goes with it'],
  ['needed', 'needs: cannot be without it'],
  ['known', 'knows: refers to it while it is there'],
] as const

const Legend = () => (
  <div className="foot-line map-legend">
    {KINDS.map(([kind, words]) => (
      <span key={kind}>
        <svg width="46" height="12" aria-hidden="true">
          <g className={`map-line ${kind}`}>
            <path
              d="M2 6H44"
              {...(kind === 'owned' ? { markerStart: 'url(#map-owned)' } : { markerEnd: `url(#map-${kind})` })}
            />
          </g>
        </svg>
        {words}
      </span>
    ))}
  </div>
)
