import type { CrudOptions } from 'fastify-crud'
import type { AppOptions } from '../../../../../test/support/app.ts'
import type { JsonBody } from '../../../../../test/support/json-body.ts'
import type { TestKysely } from '../../../../../test/support/tables.ts'

export type Action = 'Add' | 'Edit' | 'Delete'

/** A row that a write adds, changes or removes. */
export interface ChangedRow {
  readonly action: Action
  readonly before: JsonBody
  readonly after: JsonBody
}

export interface Refusing {
  refuse(message: string): void
  invalid(field: string, message: string): void
}

/** What `validate` gets. */
export interface Judged extends ChangedRow, Refusing {
  readonly changedBelow?: readonly string[]
  readonly caller: JsonBody
  readonly db: TestKysely
  lock(resource: string, ids: readonly number[]): Promise<void>
}

/** What `test` of an invariant gets. */
export interface Kept extends Refusing {
  readonly before: JsonBody
  readonly after: JsonBody
}

/** What `afterCommit` gets. */
export interface Committed {
  readonly rows: readonly ChangedRow[]
  readonly caller: JsonBody
  readonly log: { info(text: string): void }
}

/** A rule as the tests write it, whatever the model is. What a typed model makes of it is in `types.test.ts`. */
export interface TestRule {
  validate?(judged: Judged): unknown
  invariant?: { readonly reads: readonly string[]; test(kept: Kept): unknown }
  afterWrite?(judged: Judged): unknown
  afterCommit?(committed: Committed): unknown
}

/** `object` is a rule that a function such as `timestamps()` has made. */
type AnyRule = TestRule | object

export type TestRules = Readonly<Record<string, AnyRule | readonly AnyRule[]>>

type PluginOptions = NonNullable<AppOptions['plugin']>

/** The options of a service with these rules. */
export function withRules(rules: TestRules, others: PluginOptions = {}): { readonly plugin: PluginOptions } {
  return { plugin: { ...others, rules: rules as NonNullable<CrudOptions['rules']> } }
}
