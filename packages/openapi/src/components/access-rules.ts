/** How access is decided in a service, as far as its document shows it. */
export interface AccessRules {
  /** `authorize` is asked: it may refuse a request, and leave related records out of an answer. */
  readonly asks: boolean
  /** Policies are asked: they may refuse a request. */
  readonly hasPolicies: boolean
  /** Each request is about the records of a tenant, whom the application names. */
  readonly hasTenants: boolean
  /** The resources whose records policies hide from some callers. */
  readonly hides: ReadonlySet<string>
}
