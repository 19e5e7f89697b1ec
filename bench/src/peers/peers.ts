import type { SqliteNames } from '../databases/seed-sqlite.ts'

export const PEERS = ['platformatic', 'zenstack', 'cap'] as const

export type PeerName = (typeof PEERS)[number]

export interface Peer {
  readonly title: string
  /** The tables that it works on. */
  readonly names: SqliteNames
}

const names: SqliteNames = { parent: 'parent', child: 'child', id: 'id', foreignKey: '"parentId"' }

export const peers: Readonly<Record<PeerName, Peer>> = {
  platformatic: { title: 'Platformatic DB', names },
  zenstack: { title: 'ZenStack', names },
  cap: { title: 'SAP CAP', names: { parent: 'Parents', child: 'Children', id: 'ID', foreignKey: 'parent_ID' } },
}
