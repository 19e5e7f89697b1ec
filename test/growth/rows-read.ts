import pg from 'pg'

/** How many rows the steps of a statement's plan have read and thrown away, all together. */
export interface RowsRead {
  readonly statement: string
  readonly rows: number
  /** The plan, for those who ask why. */
  readonly plan: PlanNode
}

export interface PlanNode {
  readonly 'Actual Rows': number
  readonly 'Actual Loops': number
  readonly 'Rows Removed by Filter'?: number
  readonly 'Rows Removed by Join Filter'?: number
  readonly 'Rows Removed by Index Recheck'?: number
  readonly Plans?: readonly PlanNode[]
}

/** PostgreSQL itself explains each statement as it has run it, and says so to the connection. */
const EXPLAINED = [
  'session_preload_libraries=auto_explain',
  'auto_explain.log_min_duration=0',
  'auto_explain.log_analyze=on',
  'auto_explain.log_timing=off',
  'auto_explain.log_format=json',
  'client_min_messages=log',
]

/** Connections to a PostgreSQL database, and what each statement on them has read since the last call of `take`. */
export function watchRowsRead(
  connectionString: string,
  settings: readonly string[] = [],
): { readonly pool: pg.Pool; take(): readonly RowsRead[] } {
  const options = [...EXPLAINED, ...settings].map((one) => `-c ${one}`).join(' ')
  const pool = new pg.Pool({ connectionString, max: 3, options })
  let read: RowsRead[] = []
  pool.on('connect', (client) => {
    client.on('notice', ({ message = '' }) => {
      const begin = message.indexOf('plan:\n')
      if (begin < 0) return
      const { Plan: plan, 'Query Text': statement } = JSON.parse(message.slice(begin + 'plan:\n'.length))
      read.push({ statement, rows: rowsIn(plan), plan })
    })
  })
  return {
    pool,
    take() {
      const taken = read
      read = []
      return taken
    },
  }
}

function rowsIn(node: PlanNode): number {
  const each =
    node['Actual Rows'] +
    (node['Rows Removed by Filter'] ?? 0) +
    (node['Rows Removed by Join Filter'] ?? 0) +
    (node['Rows Removed by Index Recheck'] ?? 0)
  const inside = (node.Plans ?? []).map(rowsIn)
  return inside.reduce((sum, rows) => sum + rows, each * node['Actual Loops'])
}
