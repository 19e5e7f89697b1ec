import { isFatal, isOutdated, isReadTimeout } from './postgres/pipeline/index.ts'
import { SkippedRowsError } from './session.ts'

/** What a driver's error means for a request. */
export type DatabaseErrorKind =
  /** Another writer is in the way: worth another try. */
  | 'busy'
  /** It took longer than the application allows: another try would take as long. */
  | 'timeout'
  /** All connections of the pool are in use, and stayed so for as long as the application lets a request wait. */
  | 'poolFull'
  /** A connection could not be made in time: another try would take as long. */
  | 'unconnected'
  /** The server takes no more connections: worth another try. */
  | 'serverFull'
  /** The session is not as the driver believes: worth another try, on another one or prepared anew. */
  | 'stale'
  /** A table has changed since the statement was made for it: worth another try, made anew. */
  | 'outdated'
  /** The connection is gone: worth another try on a new one. */
  | 'disconnected'
  /** The database is read-only, out of disk space or memory, or a materialized view has no rows yet: another try at
   * once would fail, too. */
  | 'unavailable'
  | 'unique'
  | 'foreignKey'
  /** A CHECK of the table, or a column that takes no null. */
  | 'check'
  /** A value that the column does not take. */
  | 'value'
  /** A value is compared of a type that has no such comparison, such as `xml`. */
  | 'incomparable'
  /** The role may not do it: it lacks a privilege, or a policy of row level security does not let it write a row. */
  | 'forbidden'
  /** A trigger raised an error of its own, a row was left as it is, or the table has a rule (`CREATE RULE`) that lets
   * no such statement through. */
  | 'refused'
  /** The engine cannot do what the statement asks for, as Citus says of some that concern several of its machines. */
  | 'unsupported'
  /** What a query would give is more than the database can build. */
  | 'tooLarge'
  /** A query has more parts inside of each other than the database reads. */
  | 'tooDeep'
  | 'other'

/**
 * What an error is about. The moment: the database could do nothing just then. The data: it would refuse them again.
 * The statement: it would not run with other data either. The request: the caller asks for too much, or may not ask.
 */
type ErrorSubject = 'moment' | 'data' | 'statement' | 'request'

export const SUBJECTS: Readonly<Record<DatabaseErrorKind, ErrorSubject>> = {
  busy: 'moment',
  timeout: 'moment',
  poolFull: 'moment',
  unconnected: 'moment',
  serverFull: 'moment',
  stale: 'moment',
  disconnected: 'moment',
  unavailable: 'moment',
  unique: 'data',
  foreignKey: 'data',
  check: 'data',
  value: 'data',
  refused: 'data',
  incomparable: 'statement',
  outdated: 'statement',
  unsupported: 'statement',
  other: 'statement',
  forbidden: 'request',
  tooLarge: 'request',
  tooDeep: 'request',
}

/** What a driver's error is about. */
export function subjectOf(error: unknown): ErrorSubject {
  return SUBJECTS[databaseErrorKind(error)]
}

const POSTGRES: Readonly<Record<string, DatabaseErrorKind>> = {
  '23505': 'unique',
  '23P01': 'unique',
  '23503': 'foreignKey',
  '23001': 'foreignKey',
  '23502': 'check',
  '23514': 'check',
  // A value for a generated column.
  '428C9': 'value',
  '40001': 'busy',
  '40P01': 'busy',
  '55P03': 'busy',
  '57014': 'timeout',
  '25P04': 'timeout',
  '42501': 'forbidden',
  '54000': 'value',
  '54001': 'tooDeep',
  // postgres.js.
  CONNECT_TIMEOUT: 'unconnected',
  '53300': 'serverFull',
  // The server has other prepared statements than the driver believes: they are prepared anew.
  '26000': 'stale',
  '42P05': 'stale',
  // Somebody else has left a failed transaction on the connection: the next try is on another one.
  '25P02': 'stale',
  '0A000': 'unsupported',
  '57P01': 'disconnected',
  '57P02': 'disconnected',
  '57P03': 'disconnected',
  '57P04': 'disconnected',
  '57P05': 'disconnected',
  '25P03': 'disconnected',
  '25006': 'unavailable',
  '53000': 'unavailable',
  '53100': 'unavailable',
  '53200': 'unavailable',
  '53400': 'unavailable',
}

const INTERNAL_ERROR = 'XX000'

/** Citus may report so what one of its machines says of a value that is there already. */
const DUPLICATE = /duplicate key value violates unique constraint/

/** What Citus' coordinator says, as its own error, where it has lost one of its machines. */
const LOST_MACHINE =
  /^(?:connection (?:error: |to the remote node )|failure on connection marked as essential|server closed the connection|could not (?:send data to|receive data from) server|connection not open)/

/** Said of a text of more than 1 GB, in English whatever the server's language is. */
const TOO_MUCH_MEMORY = /^invalid memory alloc request size/

/** The routines that read texts for `hstore`, `ltree`, `tsvector` and `tsquery`. To them, a wrong one is an error of
 * syntax. */
const READS_VALUES = /^(?:prs|parse_l|finish_nodeitem)/

/** The routine of PostgreSQL that carries out PL/pgSQL's RAISE, whichever code the function gives its error. */
const RAISED = 'exec_stmt_raise'
const MEANS_NOTHING_IF_RAISED: readonly DatabaseErrorKind[] = ['value', 'check', 'unsupported', 'other']

/** What PostgreSQL cannot do, and the routine that says it of the rules of a table. */
const NOT_SUPPORTED = '0A000'
const APPLIES_RULES = 'RewriteQuery'

/** What a name that does not exist is called, an operator, too, and the routine of PostgreSQL that says it of
 * operators. */
const UNDEFINED_FUNCTION = '42883'
const FINDS_OPERATORS = 'op_error'

/** What a view is called whose rows are not there yet, and the routine of PostgreSQL that says it of materialized
 * ones. */
const NOT_READY = '55000'
const OPENS_VIEWS = 'ExecOpenScanRelation'

/** The messages of SQLite's limits, which have no code of their own. */
const TOO_DEEP =
  /^(?:VIEWs and\/or subqueries nested too deep|Expression tree is too large|parser stack overflow|Recursion limit)/

const SQLITE: Readonly<Record<string, DatabaseErrorKind>> = {
  SQLITE_CONSTRAINT_UNIQUE: 'unique',
  SQLITE_CONSTRAINT_PRIMARYKEY: 'unique',
  SQLITE_CONSTRAINT_ROWID: 'unique',
  SQLITE_CONSTRAINT_FOREIGNKEY: 'foreignKey',
  SQLITE_CONSTRAINT_TRIGGER: 'refused',
  SQLITE_CONSTRAINT_NOTNULL: 'check',
  SQLITE_CONSTRAINT_CHECK: 'check',
  SQLITE_CONSTRAINT_DATATYPE: 'value',
  SQLITE_FULL: 'unavailable',
  SQLITE_TOOBIG: 'tooLarge',
}

const NETWORK = new Set([
  'ECONNRESET',
  'ECONNREFUSED',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'EHOSTDOWN',
  'ENETUNREACH',
])

/** What postgres.js says of a connection that is gone. */
const POSTGRES_JS = new Set(['CONNECTION_CLOSED', 'CONNECTION_DESTROYED', 'CONNECTION_ENDED'])

/** Whether the database itself has said so, and not the code around it. */
export function isFromDatabase(error: unknown): boolean {
  const { code, severity } = (error ?? {}) as { code?: unknown; severity?: unknown }
  return severity !== undefined || (typeof code === 'string' && code.startsWith('SQLITE_'))
}

/** Tells what kind of error a driver threw, by its code. */
export function databaseErrorKind(error: unknown): DatabaseErrorKind {
  if (error instanceof SkippedRowsError) return 'refused'
  const { code, message } = (error ?? {}) as { code?: unknown; message?: unknown }
  if (typeof code === 'string')
    return code.startsWith('SQLITE_') ? sqliteKind(code, message) : postgresKind(error, code)
  // The driver for PostgreSQL has no code for a connection that ended under a query, or took too long.
  if (typeof message === 'string') {
    if (isReadTimeout(error)) return 'timeout'
    // The pool of `pg` says this only of a request that waited for a connection of others.
    if (/^timeout exceeded when trying to connect/.test(message)) return 'poolFull'
    if (/^Connection terminated|not queryable|client was closed/i.test(message)) return 'disconnected'
  }
  return 'other'
}

function sqliteKind(code: string, message: unknown): DatabaseErrorKind {
  if (code.startsWith('SQLITE_BUSY') || code.startsWith('SQLITE_LOCKED')) return 'busy'
  if (/^SQLITE_(?:READONLY|CANTOPEN)/.test(code)) return 'unavailable'
  // ON DELETE RESTRICT has the code of a trigger, and words that tell it from one.
  if (code === 'SQLITE_CONSTRAINT_TRIGGER' && message === 'FOREIGN KEY constraint failed') return 'foreignKey'
  if (code === 'SQLITE_ERROR' && /^cannot (?:INSERT into|UPDATE) generated column/.test(String(message))) return 'value'
  if (code === 'SQLITE_ERROR' && TOO_DEEP.test(String(message))) return 'tooDeep'
  return SQLITE[code] ?? 'other'
}

function postgresKind(error: unknown, code: string): DatabaseErrorKind {
  if (NETWORK.has(code) || POSTGRES_JS.has(code) || code.startsWith('08') || isMissingSocket(error))
    return 'disconnected'
  const { routine, message } = error as { routine?: unknown; message?: unknown }
  // Class 22: the value does not fit the column (too large, too long, not of its type).
  const isOfValue = /^22[0-9A-Z]{3}$/.test(code) || (code.startsWith('426') && READS_VALUES.test(String(routine)))
  const kind = isOfValue ? 'value' : (POSTGRES[code] ?? 'other')
  if (code === INTERNAL_ERROR && DUPLICATE.test(String(message))) return 'unique'
  if (code === INTERNAL_ERROR && LOST_MACHINE.test(String(message))) return 'disconnected'
  const isTooLarge =
    routine === 'enlargeStringInfo' || (code === INTERNAL_ERROR && TOO_MUCH_MEMORY.test(String(message)))
  if (isTooLarge) return 'tooLarge'
  if (code === NOT_READY && routine === OPENS_VIEWS) return 'unavailable'
  if (code === NOT_SUPPORTED && routine === APPLIES_RULES) return 'refused'
  if (code === UNDEFINED_FUNCTION && routine === FINDS_OPERATORS) return 'incomparable'
  const isRaised = routine === RAISED || code.startsWith('P0')
  if (!isRaised && isOutdated(error)) return 'outdated'
  return isRaised && MEANS_NOTHING_IF_RAISED.includes(kind) ? 'refused' : kind
}

/** A server that listens at a file is not running: the file is not there. */
function isMissingSocket(error: unknown): boolean {
  const { code, syscall } = error as { code?: unknown; syscall?: unknown }
  return code === 'ENOENT' && syscall === 'connect'
}

/**
 * Nothing more comes of a session: the server has said so, or the driver has lost it. What a server says of a session
 * of its own with another one (a foreign table's) has the code of a lost connection, too, but leaves this one there.
 */
export function endsSession(error: unknown): boolean {
  const isFromServer = (error as { severity?: unknown } | undefined | null)?.severity !== undefined
  return isFromServer ? isFatal(error) : databaseErrorKind(error) === 'disconnected'
}

/** A statement names a column that its tables do not have. */
export function isUnknownColumn(error: unknown): boolean {
  const { code, message } = (error ?? {}) as { code?: unknown; message?: unknown }
  return code === '42703' || (code === 'SQLITE_ERROR' && /^no such column/.test(String(message)))
}

/** A statement names a table that is not there. */
export function isUnknownTable(error: unknown, table: string): boolean {
  const { code, message } = (error ?? {}) as { code?: unknown; message?: unknown }
  const isUnknown = code === '42P01' || (code === 'SQLITE_ERROR' && /^no such table/.test(String(message)))
  return isUnknown && String(message).includes(table)
}

/** `book.isbn` of the messages of SQLite. It names no column of an index over an expression, and none of a CHECK. */
const COLUMNS_OF_SQLITE = /^(?:NOT NULL|UNIQUE) constraint failed: ([^'].*)$/

/** `Key (isbn, "in Lang")=(1, en) already exists.`, in the server's language. An expression has brackets of its own. */
const KEY_OF_POSTGRES = /\(((?:"[^"]+"|[^()"])+)\)=\(/

/** The columns that a driver's error about a constraint names; none if it names none. */
export function constraintColumns(error: unknown): readonly string[] {
  const {
    code,
    message,
    detail,
    column,
    column_name: ofPostgresJs,
  } = (error ?? {}) as Readonly<Record<string, unknown>>
  const only = column ?? ofPostgresJs
  if (typeof only === 'string') return [only]
  const named =
    code === '23505' || code === 'XX000'
      ? KEY_OF_POSTGRES.exec(String(detail))
      : COLUMNS_OF_SQLITE.exec(String(message))
  return (named?.[1]?.split(', ') ?? []).map((name) => name.replace(/^.*[.]/, '').replaceAll('"', ''))
}
