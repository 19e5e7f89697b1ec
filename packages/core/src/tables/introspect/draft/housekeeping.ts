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

/** Columns of which no answer should show the values. */
export function isSecret(column: string): boolean {
  return /password|passwd|secret|token|hash|salt/i.test(column)
}
