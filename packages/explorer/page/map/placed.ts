import type { GraphEdge } from './graph.ts'

/** The size of a box. */
export const BOX = { width: 168, height: 46 } as const

export interface Point {
  readonly x: number
  readonly y: number
}

/** What is above and what is below: an owner and what it owns, or what is needed and what needs it. */
export const ends = ({ kind, from, to }: GraphEdge): [string, string] => (kind === 'owned' ? [from, to] : [to, from])

export interface DrawnEdge {
  readonly edge: GraphEdge
  readonly upper: string
  readonly lower: string
  /** From the upper box to the lower one. */
  readonly points: Point[]
}

/** Where boxes are, and how lines go until they have places at the sides of their boxes. */
export interface Placed {
  readonly boxes: ReadonlyMap<string, Point>
  readonly drawn: readonly DrawnEdge[]
  readonly width: number
  readonly height: number
}
