import type { Logger } from 'kysely'

export interface StatementLog {
  /** Kysely's `log` option. */
  readonly logger: Logger
  /** For those who see statements otherwise. */
  note(statement: string): void
  /** Runs the function and returns every SQL statement that was sent in the meantime, in order. */
  record(run: () => Promise<unknown>): Promise<readonly string[]>
}

/** Sees every SQL statement of a Kysely instance, also those that fail. */
export function statementLog(): StatementLog {
  const recordings = new Set<string[]>()
  const note = (statement: string): void => {
    for (const recording of recordings) recording.push(statement)
  }
  return {
    logger: (event) => note(event.query.sql),
    note,
    async record(run) {
      const recording: string[] = []
      recordings.add(recording)
      try {
        await run()
      } finally {
        recordings.delete(recording)
      }
      return recording
    },
  }
}

/** The statements that change rows of a table. `select … for update` is none of them. */
export function writesIn(statements: readonly string[]): readonly string[] {
  return statements.filter((statement) => /\binsert\s+into\b|\bdelete\s+from\b/i.test(statement) || isUpdate(statement))
}

/** The UPDATE statements. */
export function updatesIn(statements: readonly string[]): readonly string[] {
  return statements.filter(isUpdate)
}

function isUpdate(statement: string): boolean {
  return /(?<!\bfor\s+|\bkey\s+)\bupdate\b/i.test(statement)
}
