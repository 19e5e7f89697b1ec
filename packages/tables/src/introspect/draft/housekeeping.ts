/** Why a table is no resource of a service, as its name says; undefined if its name says nothing of the kind. */
export function housekeepingOf(table: string): string | undefined {
  const kind = KINDS.find(([, name]) => name.test(table))
  return kind && `it looks like a table of ${kind[0]}`
}

const KINDS: readonly (readonly [what: string, name: RegExp])[] = [
  [
    'migrations',
    /(?:^|_)migrations?(?:_|$)|^(?:schema_version|flyway_schema_history|databasechangelog(?:lock)?|ar_internal_metadata|alembic_version|sequelizemeta|goose_db_version)$/i,
  ],
  ['sessions', /(?:^|_)sessions?$/i],
  ['reset tokens', /(?:^|_)(?:password_?resets?|(?:password_?)?reset_?tokens?|password_resets?_tokens?)$/i],
]

/** Whether a column's name says that no answer should show its values. */
export function isSecret(column: string): boolean {
  const words = column
    .replace(/(?<=[a-z\d])(?=[A-Z])/g, '_')
    .toLowerCase()
    .split(/[^a-z\d]+/)
  return (
    words.some((word) => SECRETS.has(word)) || words.some((word, at) => word === 'key' && KEYS.has(words[at - 1] ?? ''))
  )
}

const SECRETS = new Set(['password', 'passwd', 'secret', 'token', 'hash', 'salt'])

/** What stands before `key` in the name of a secret one. */
const KEYS = new Set(['api', 'private', 'secret'])
