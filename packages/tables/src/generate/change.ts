/**
 * One thing that a migration does: statements, a choice between statements, steps that may be done already, a new table
 * in the place of one of SQLite, or many small changes.
 */
export type MigrationStep = RunStep | ChoiceStep | UndoneStep | RebuildStep | PortionsStep

export interface RunStep {
  readonly statements: readonly string[]
  /** PostgreSQL, in a transaction of its own: waits for locks for a short time, and tries again, as others wait behind
   * it. */
  readonly isPatient?: true
}

/** What to do depends on the rows and tables that are there when the migration runs. */
export interface ChoiceStep {
  /** Finds a row, or none. */
  readonly query: string
  readonly ifFound: readonly string[]
  readonly ifNone: readonly string[]
  readonly isPatient?: true
}

/** Steps that are to be done while the query finds a row, which the last of them removes. */
export interface UndoneStep {
  readonly query: string
  readonly steps: readonly MigrationStep[]
}

/** What SQLite does with a new table only (https://www.sqlite.org/lang_altertable.html, section 7). */
export interface RebuildStep {
  readonly table: string
  readonly edits: readonly Edit[]
}

/** An UPDATE of PostgreSQL that changes some thousand rows at a time, each time in a transaction of its own. All parts
 * are SQL. */
export interface PortionsStep {
  readonly changed: string
  /** The columns of the primary key. */
  readonly key: readonly string[]
  readonly set: string
  /** Holds for rows that are still to be changed. */
  readonly where: string
}

/** A change of the text of a `CREATE TABLE`. An empty `from` adds a part at its end, an empty `to` removes the part. */
export interface Edit {
  readonly from: string
  readonly to: string
}

/**
 * `ordinary` statements run in a transaction. `concurrently`: PostgreSQL does them while other clients write, so in
 * none. `rebuild`: SQLite gets a new table in the place of an old one, while foreign keys are off, which no transaction
 * can switch.
 */
export type FileKind = 'ordinary' | 'concurrently' | 'rebuild'

/** The order in which the changes of a file are made. `down` has them backward. */
const PHASES = [
  'tenant',
  'rename',
  'create',
  'drop',
  'relax',
  'type',
  'add',
  'tighten',
  'key',
  'foreign key',
  'index',
] as const

/** A difference of model and database, and how it goes away. */
export interface Change {
  readonly file: FileKind
  readonly phase: (typeof PHASES)[number]
  /** A sentence: what was found. */
  readonly reason: string
  readonly up: readonly MigrationStep[]
  /** Drops no data: what cannot be undone so, stays. */
  readonly down: readonly MigrationStep[]
}

/** What a difference needs. */
export interface ChangeOutcome {
  readonly changes?: readonly Change[]
  /** Why no statement can do it without losing data, and what a person can do. */
  readonly byHand?: string
  readonly unfilled?: Unfilled
}

/** A field of which rows need a value that the model does not have. */
export interface Unfilled {
  /** Such as `book.price`. */
  readonly field: string
  readonly message: string
}

export function inOrder(changes: readonly Change[]): readonly Change[] {
  return [...changes].sort((a, b) => PHASES.indexOf(a.phase) - PHASES.indexOf(b.phase))
}

/** A change in the file for all that needs no other one. */
export function ordinary(phase: Change['phase'], reason: string, up: Change['up'], down: Change['down'] = []): Change {
  return { file: 'ordinary', phase, reason, up, down }
}

export function run(...statements: readonly string[]): RunStep {
  return { statements }
}

/** Does it unless the query finds a row. */
export function unless(query: string, statements: readonly string[], ifFound: readonly string[] = []): ChoiceStep {
  return { query, ifFound, ifNone: statements }
}

/** Does it with patience. */
export function patiently(step: RunStep | ChoiceStep): MigrationStep {
  return { ...step, isPatient: true }
}
