/** What no answer has, unless the request has it by chance: names of the database, stack traces, places of files. */
const NEVER = [/zq_/i, /\n\s+at /, /node_modules/, /\.[cm]?[jt]s:\d+/, /file:\/\//, /\/packages\//, /SQLITE_/]

/** Words of a database and its driver that no error has, unless the request has them. */
const WORDS = [
  ...[
    'select',
    'insert into',
    'update',
    'delete from',
    'where',
    'returning',
    'values \\((?!and \\d+ more)',
    'union',
    'null value',
  ],
  ...[
    'constraint',
    'violates',
    'syntax',
    'column',
    'table',
    'relation "',
    'foreign key',
    'index',
    'cursor "',
    'parameter type',
  ],
  ...[
    'sqlite',
    'postgres',
    'postgresql',
    'kysely',
    'pg',
    'sql',
    'driver',
    'transaction',
    'rollback',
    'savepoint',
    'bigint',
  ],
]

const WORD_PATTERNS = WORDS.map((word) => [word, new RegExp(`\\b${word}\\b`, 'i')] as const)

/** What the service itself says with such words: of filters and cursors that a database cannot do, and the name of a kind of ids. */
const OWN_WORDS = [
  'has a value that does not fit the column that it is compared with',
  'this connection to SQLite cannot compare decimal numbers; open it by openSqlite',
  '"params":{"type":"bigint"}',
]

/** What an answer should not say; `text`: its headers and its body, `asked`: all of the request. */
export function leaksIn(status: number, text: string, asked: string): string[] {
  const found = NEVER.filter((pattern) => pattern.test(text) && !pattern.test(asked)).map(String)
  if (status < 400) return found
  const others = OWN_WORDS.reduce((all, words) => all.replaceAll(words, ''), text)
  const words = WORD_PATTERNS.filter(([, pattern]) => pattern.test(others) && !pattern.test(asked))
  return [...found, ...words.map(([word]) => word)]
}
