/**
 * Says that the records of a model belong to tenants, such as organisations, workspaces or shops.
 *
 * @example
 * const tenant: TenantDeclaration = { resource: 'org', column: 'org_id' }
 */
export interface TenantDeclaration<Keys extends string = string> {
  /** The resource whose records are the tenants. */
  readonly resource: Keys
  /** The column that each table has for its tenant. Default: the key of the tenants' resource with `Id` behind it. */
  readonly column?: string
  /**
   * Whether the keys of the tables begin with the tenant. `'whole'` (the default): primary, unique and foreign keys and
   * indexes do, so the database itself refuses a row that names another tenant's. `'plain'`: tables that exist have the
   * column, and keys without it.
   */
  readonly keys?: 'whole' | 'plain'
}

/** The column that each table has for its tenant. */
export function tenantColumn({ resource, column = `${resource}Id` }: TenantDeclaration): string {
  return column
}
