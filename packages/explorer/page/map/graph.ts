import type { ModelDocument, Relation } from '../model/model.ts'

/** A relation between two resources, drawn once whichever of them declares it. */
export interface GraphEdge {
  readonly id: string
  /** The owner, or the resource that refers to the other one. */
  readonly from: string
  readonly to: string
  readonly kind: 'owned' | 'needed' | 'known'
  readonly relation: string
  /** How many there may be at each end, as UML writes it. */
  readonly fromMany: string
  readonly toMany: string
}

export interface Graph {
  readonly nodes: readonly string[]
  readonly edges: readonly GraphEdge[]
}

/** All resources and relations of a model, each relation from the side that says most about it. */
export function graphOf({ resources }: ModelDocument): Graph {
  const edges = Object.entries(resources).flatMap(([from, { relations }]) =>
    Object.entries(relations).flatMap(([relation, described]): GraphEdge[] => {
      const kind = kindOfEdge(described)
      if (kind === undefined || resources[described.target] === undefined) return []
      const { target, inverse } = described
      const facing = inverse === undefined ? undefined : resources[target]?.relations[inverse]
      return [
        {
          id: `${from}.${relation}`,
          from,
          to: target,
          kind,
          relation,
          fromMany: atFrom(described, facing),
          toMany: atTo(described),
        },
      ]
    }),
  )
  return { nodes: Object.keys(resources), edges }
}

/** Undefined for a relation that the other side has drawn. */
function kindOfEdge({ kind }: Relation): GraphEdge['kind'] | undefined {
  if (kind.startsWith('owns')) return 'owned'
  if (kind.startsWith('needs')) return 'needed'
  return kind.startsWith('knows') ? 'known' : undefined
}

function atTo({ kind, required }: Relation): string {
  if (kind.endsWith('.many')) return kind === 'needs.many' ? '1..*' : '*'
  return required ? '1' : '0..1'
}

function atFrom({ kind, unique }: Relation, facing: Relation | undefined): string {
  if (kind.startsWith('owns')) return facing?.required ? '1' : '0..1'
  return unique || facing?.kind === 'neededBy.one' ? '0..1' : '*'
}

/** A resource with all that it is related to. */
export function neighboursOf({ edges }: Graph, node: string): ReadonlySet<string> {
  const near = edges.filter(({ from, to }) => from === node || to === node)
  return new Set([node, ...near.flatMap(({ from, to }) => [from, to])])
}

const ARROWS = { owned: '*--', needed: '-->', known: '..>' } as const

/** A diagram has no names with marks or line breaks in them: these would be orders to whoever draws it. */
const plain = (name: string): string => name.replaceAll(/[^\p{L}\p{N}_]/gu, '_')

/** The map as a class diagram of Mermaid. */
export function toMermaid({ nodes, edges }: Graph): string {
  const boxes = nodes.map((node) => `  class ${plain(node)}`)
  const lines = edges.map(
    ({ from, to, kind, relation, fromMany, toMany }) =>
      `  ${plain(from)} "${fromMany}" ${ARROWS[kind]} "${toMany}" ${plain(to)} : ${plain(relation)}`,
  )
  return ['classDiagram', ...boxes, ...lines, ''].join('\n')
}
