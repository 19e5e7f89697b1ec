import type { CheckedActions } from '../actions/action.ts'
import { readActions } from '../actions/read-actions.ts'
import { valueIn } from '../asking/policies/placeholders.ts'
import { hidingIn, type PolicySet, readPolicies, rightsKey, rightsOf } from '../asking/policies/read-policies.ts'
import type { HistoryOf } from '../history/keep-history.ts'
import { callerIn } from '../model/callers.ts'
import { limitsOf } from '../model/descriptors/default-limits.ts'
import { hasForm } from '../model/descriptors/stored.ts'
import { fieldRightsOf, fieldsKey, limitsFields, rolesInFields } from '../model/field-rights.ts'
import type { Id } from '../model/ids/id-kind.ts'
import { checkModel, type Model, type Resource } from '../model/model.ts'
import { hasHistory } from '../model/resource-tree.ts'
import { activeRules } from '../rules/active-rules.ts'
import { readRules } from '../rules/read-rules.ts'
import { resourcesTouched, touchedInAll } from '../rules/rule-scope.ts'
import type { RuleLog } from '../rules/rule-types.ts'
import { afterCommits, type LogOf } from '../rules/stages/after-commits.ts'
import type { EndTogether } from '../rules/stages/end-together.ts'
import { checkErrorsOption, type ErrorsOption } from '../rules/stages/refusals.ts'
import type { SettingsOf } from '../session/session-settings.ts'
import { type QueryContext, queryContext } from '../sql/context.ts'
import { type AnyKysely, problemsOfColumns } from '../sql/dialect/database.ts'
import { servesBytes } from '../sql/dialect/sqlite/sqlite-functions.ts'
import type { NoteUnshown, UnshownValue } from '../sql/reads/read-unshown.ts'
import { keptStatements, statementsOf } from '../sql/statements.ts'
import { formOf } from '../sql/text/field-column.ts'
import { REPEATS_TABLE } from '../sql/text/stored-rows.ts'
import { type CallerRights, callerRights } from './caller-rights.ts'
import {
  type AskedValue,
  askedByComputed,
  checkComputed,
  expressionProblems,
  hasOwnTable,
  misfitLog,
  ownTableProblems,
  textsOverDeleted,
} from './checks/expression-problems.ts'
import { createJsonStore, type JsonStore, readingStore } from './json-store.ts'
import { type Caller, rolesOf, storesByRights } from './stores-by-rights.ts'
import { checkTenants, purgeTenant } from './tenants.ts'
import type { StoreExtras, StoreOptions } from './types/store-options.ts'
import type { SessionOf } from './types/store-types.ts'

/** The stores of one model in one database: what a caller may see and do depends on its roles. */
export interface Stores {
  /** With what rules make of its fields. */
  readonly model: Model
  /** Sees and does everything. In a model with tenants, it sees the records of all of them. */
  readonly system: JsonStore
  /** Lists the records of all tenants, each with what is its own tenant's. Undefined in a model without tenants. */
  readonly acrossTenants: JsonStore | undefined
  /** Sees and does everything of one tenant, whom `asked.requestContext` names; the same as `system` in a model without
   * tenants. */
  readonly ofTenant: JsonStore
  /**
   * The store of a caller. Its methods are told of the caller itself by `asked.requestContext`, in which `caller` is
   * the caller. Throws a TypeError if the caller's roles are no strings.
   */
  of(caller: Caller | undefined): JsonStore
  /** Equal for callers with equal rights of whom policies, computed fields and the database's own policies ask the
   * same. */
  sightKey(caller: Caller | undefined): string
  /** What a caller may do, before any record is looked at. Throws a TypeError if the caller's roles are no strings. */
  rightsOf(caller: Caller | undefined): CallerRights
  /** These stores on another connection of the database. `end`: in the transaction of an action. */
  in(db: AnyKysely, end?: EndTogether): Stores
  /** The same stores, but they write nothing, and say why. */
  onlyReading(why: string): Stores
  /**
   * These stores in another database that has the same tables: the same each time. Databases in which all is compiled
   * alike have their statements in common. Throws a TypeError for what that database cannot do.
   */
  on(db: AnyKysely): Stores
  /** The stores of callers on another server that has the same records, and is only read. They fail with an
   * `UnreadError` where that cannot be done. */
  onReplica(db: AnyKysely): Pick<Stores, 'of'>
  /** The keys of the resources of which policies hide records from some callers; undefined where there are no
   * policies. */
  readonly hiding: readonly string[] | undefined
  /** Whether nothing is done for calls that do not say who is asking, be it the application itself. */
  readonly isGuarded: boolean
  /** Whether policies, fields, computed fields or the settings of a session ask who the caller is. */
  readonly asksForCaller: boolean
  /** How much there may be in a batch. */
  readonly batchLimits: Readonly<Record<'batch' | 'maxDepth', number>>
  /** Whether there are rules. */
  readonly hasRules: boolean
  /** The verbs of the application. */
  readonly actions: CheckedActions
  /**
   * The resources of which the application may have something to say when records of one are written, by rules or
   * errors; none where it has not.
   */
  touched(resource: Resource): readonly Resource[]
  /** Whether a rule of the application may write further records when rows of the resource are written. */
  writesMore(resource: Resource): boolean
  /**
   * Whether the database has the table by which a write with a key is known if it is sent again. Rejects with the
   * driver's error if the database cannot be asked.
   */
  knowsRepeats(): Promise<boolean>
  /** All resources of which rows may change with a record of one, or own such rows. */
  changedWith(resource: Resource): readonly Resource[]
  /**
   * Has the database prepare every policy and every computed expression, and looks for the tables that rules need.
   * Resolves to what is wrong with them, each with its place. Rejects with the driver's error if the database cannot be
   * asked.
   */
  problemsAtStart(): Promise<readonly string[]>
  /** For the log: where SQL text of the application sees deleted rows that are kept. */
  readonly textsOverDeleted: readonly string[]
  /** Removes all records of a tenant, but not the tenant. */
  purgeTenant(tenant: Id): Promise<void>
  /** Resolves when all is done that rules and actions have begun after commits. */
  settled(): Promise<void>
}

/** What applications give to stores: the options of these names are checked here. */
export interface StoresOptions extends StoreOptions {
  readonly policies?: unknown
  /** What PostgreSQL is told of a caller. */
  readonly session?: SessionOf | undefined
  readonly rules?: unknown
  readonly actions?: unknown
  /** How a caller is named in the history. */
  readonly historyOf?: HistoryOf | undefined
  /** Puts errors of the database into the application's own words. */
  readonly errors?: ErrorsOption | undefined
  /** The log of a request; without one, that of the service. Default: the console. */
  readonly logOf?: LogOf | undefined
}

export function storesOf(options: StoresOptions): Stores {
  const { policies, session, rules: given, actions: declared, errors, historyOf, logOf, ...others } = options
  const { db, resources } = others
  checkModel(resources)
  checkErrorsOption(errors)
  const rules = given === undefined ? undefined : readRules(resources, given)
  const model = rules?.model ?? resources
  const ofStore = { ...others, resources: model }
  const actions = declared === undefined ? NO_ACTIONS : readActions(model, declared)
  const context = queryContext(db, { model })
  const hasRules = rules !== undefined && rules.rules.size > 0
  const newCommits = () => (hasRules || actions.size > 0 ? afterCommits(logOf) : undefined)
  const commits = newCommits()
  const active = hasRules && commits ? activeRules(rules, context, commits) : undefined
  const touched = errors === undefined ? active?.scope.touched : touchedInAll(model)
  const set = policies === undefined ? undefined : readPolicies(model, policies)
  if (session !== undefined && set === undefined && hasHistory(model)) throw new TypeError(SESSION_ALONE)
  checkDatabase(model, context, set)
  const ofFields = rolesInFields(model)
  const named = new Set([...(set?.roles ?? []), ...ofFields])
  const extras = {
    rules: active,
    afterCommits: commits,
    errors,
    historyOf,
    settingsOf: session && settingsOfCaller(session),
    noteUnshown: logUnshown(logOf?.(undefined) ?? console),
  }
  const ofTenant = createJsonStore(ofStore, extras)
  const system = model.tenant === undefined ? ofTenant : createJsonStore(ofStore, spanning(extras, context))
  const asked = [...askedByPolicies(set), ...askedByComputed(model)]
  const names = [...new Set(asked.map(({ value }) => value.name))]
  const noteMisfits = misfitLog(asked, logOf)
  const isSameForAll = set === undefined && !limitsFields(model)

  const rightsKeyOf = (roles: ReadonlySet<string>) =>
    `${fieldsKey(model, roles)} ${set ? rightsKey(set, rightsOf(set, roles)) : ''}`
  const rolesOfRights = (caller: Caller | undefined) => rolesOf(caller).filter((role) => named.has(role))
  const ofCallers = storesByRights({
    rightsKey: rightsKeyOf,
    build(roles, kept) {
      const rights = set && rightsOf(set, roles)
      return createJsonStore(ofStore, { ...extras, rights, fieldRights: fieldRightsOf(roles), kept })
    },
  })

  const problemsAtStart = async (context: QueryContext) => [
    ...(await expressionProblems(context, model, set)),
    ...(await ownTableProblems(context, active)),
  ]

  const elsewhere = new WeakMap<AnyKysely, Stores>()
  const stores: Stores = {
    model,
    system,
    ofTenant,
    acrossTenants: model.tenant && createJsonStore(ofStore, { ...extras, reach: 'each tenant' }),
    in: (db, end) => storesIn(stores, db, end),
    onlyReading: (why) => storesOnlyReading(stores, why),
    on(other) {
      const known = elsewhere.get(other)
      if (known !== undefined) return known
      const contextOfOther = queryContext(other, { model })
      checkDatabase(model, contextOfOther, set)
      const ofCommits = newCommits()
      const ofOther = {
        ...stores,
        settled: async () => await ofCommits?.settled(),
        knowsRepeats: () => hasOwnTable(contextOfOther, REPEATS_TABLE),
        problemsAtStart: () => problemsAtStart(contextOfOther),
      }
      const made = storesWith(ofOther, other, (store) => store.on(other, ofCommits))
      elsewhere.set(other, made)
      return made
    },
    onReplica: (db) => ({ of: (caller) => stores.of(caller).onReplica(db) }),
    hiding: set && hidingIn(set, model),
    isGuarded: set !== undefined || session !== undefined || model.tenant !== undefined,
    batchLimits: limitsOf(['batch', 'maxDepth'], others.limits),
    hasRules,
    actions,
    textsOverDeleted: textsOverDeleted(model, context, set),
    touched: ({ key }) => touched?.get(key) ?? [],
    writesMore: ({ key }) => (active?.rules.get(key)?.afterWrite.length ?? 0) > 0,
    knowsRepeats: () => hasOwnTable(context, REPEATS_TABLE),
    changedWith: resourcesTouched,
    purgeTenant: (tenant) => purgeTenant(db, model, tenant),
    settled: async () => await commits?.settled(),
    problemsAtStart: () => problemsAtStart(context),
    asksForCaller: ofFields.size > 0 || session !== undefined || asked.length > 0 || (set?.asksForCaller ?? false),
    sightKey(caller) {
      const values = session === undefined ? names.map((name) => valueIn(caller, name)) : caller
      return `${rightsKeyOf(new Set(rolesOfRights(caller)))} ${JSON.stringify(values ?? null, spelled)}`
    },
    rightsOf(caller) {
      const roles = new Set(rolesOfRights(caller))
      return callerRights(rightsKeyOf(roles), fieldRightsOf(roles), set && rightsOf(set, roles))
    },
    of(caller) {
      noteMisfits(caller)
      if (isSameForAll) return ofTenant
      return ofCallers.of([...new Set(rolesOfRights(caller))].sort())
    },
  }
  return stores
}

/** JSON has no integers of any size. */
function spelled(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? { bigint: String(value) } : value
}

const NO_ACTIONS: CheckedActions = new Map()

const SESSION_ALONE =
  'session: needs policies beside it, as the model keeps a history: the policies of the database do not reach what is stored there'

/** What a store does besides where the rows of all tenants count. */
function spanning(extras: StoreExtras, context: QueryContext): StoreExtras {
  const { rules } = extras
  const ofAll = { ...context, reach: 'all tenants' } as const
  const kept = keptStatements()
  return { ...extras, rules: rules && { ...rules, kept, statements: statementsOf(ofAll, kept) }, reach: 'all tenants' }
}

function askedByPolicies(set: PolicySet | undefined): readonly AskedValue[] {
  const conditions = set?.conditions ?? []
  return conditions.flatMap(({ condition: { places, values } }) =>
    values.flatMap((value) => places.map((place) => ({ place, value }))),
  )
}

function storesIn(stores: Stores, db: AnyKysely, end?: EndTogether): Stores {
  return {
    ...storesWith(stores, db, (store) => store.in(db, end)),
    // Whatever is opened in the transaction of an action ends with it.
    in: (other, ownEnd = other.isTransaction ? end : undefined) => storesIn(stores, other, ownEnd),
  }
}

function storesOnlyReading(stores: Stores, why: string): Stores {
  const reading = (store: JsonStore) => readingStore(store, why)
  const { system, ofTenant, acrossTenants } = stores
  return {
    ...stores,
    system: reading(system),
    ofTenant: reading(ofTenant),
    acrossTenants: acrossTenants && reading(acrossTenants),
    of: (caller) => reading(stores.of(caller)),
    in: (db, end) => storesOnlyReading(stores.in(db, end), why),
    on: (db) => storesOnlyReading(stores.on(db), why),
    async purgeTenant() {
      throw new TypeError(why)
    },
  }
}

/** `storeOf`: what each store is there. */
function storesWith(stores: Stores, db: AnyKysely, storeOf: (store: JsonStore) => JsonStore): Stores {
  const made: Stores = {
    ...stores,
    system: storeOf(stores.system),
    ofTenant: storeOf(stores.ofTenant),
    acrossTenants: stores.acrossTenants && storeOf(stores.acrossTenants),
    purgeTenant: (tenant) => purgeTenant(db, stores.model, tenant),
    of: (caller) => storeOf(stores.of(caller)),
    in: (other, end) => storesIn(made, other, end),
    onlyReading: (why) => storesOnlyReading(made, why),
  }
  return made
}

/** The settings of a request are those of its caller. What the application itself asks of the store has none. */
function settingsOfCaller(session: SessionOf): SettingsOf {
  if (typeof session !== 'function') throw new TypeError('session: must be a function')
  return (requestContext) => {
    const caller = callerIn(requestContext)
    return caller === undefined ? {} : session(caller)
  }
}

/** So many values of one answer are named. */
const MOST_NAMED = 10

/** Says in the log which rows hold values that were left out of an answer. */
function logUnshown(log: Pick<RuleLog, 'warn'>): NoteUnshown {
  return (values) => {
    const named = values.slice(0, MOST_NAMED).map(describe).join('; ')
    const others = values.length > MOST_NAMED ? `; and ${values.length - MOST_NAMED} more` : ''
    log.warn(
      `fastify-crud: an answer lacks values that cannot be shown as their fields declare; correct them in the table: ${named}${others}`,
    )
  }
}

function describe({ resource, field, id }: UnshownValue): string {
  const held = field.kind === 'field' ? `column '${field.column}'` : `computed field '${field.name}'`
  return resource.hasId ? `table '${resource.table}', id ${id}, ${held}` : `table '${resource.table}', ${held}`
}

/** Throws a TypeError for what the database cannot do, or would show to the wrong ones. It is not asked. */
function checkDatabase(model: Model, context: QueryContext, set: PolicySet | undefined): void {
  checkColumns(model, context)
  checkStored(model, context)
  checkComputed(model, context)
  checkTenants(model, context, set)
}

function checkColumns({ resources }: Model, { db }: QueryContext): void {
  const problems = [...resources.values()].flatMap((resource) =>
    problemsOfColumns(db, columnsOf(resource)).map((problem) => `${resource.key}: ${problem}`),
  )
  if (problems.length > 0) throw new TypeError(problems.join('\n'))
}

function columnsOf({ idColumns, members, softDelete, tenant, where }: Resource): readonly string[] {
  const others = [softDelete?.column, tenant?.column, where?.column].filter((column) => column !== undefined)
  return [...new Set([...idColumns, ...members.map(({ column }) => column), ...others])]
}

/** Throws a TypeError that lists all fields that this database cannot serve. */
function checkStored({ resources }: Model, context: QueryContext): void {
  const problems = [...resources.values()].flatMap(({ key, fields, computed }) => [
    ...fields
      .filter((field) => hasForm(field.stored) && formOf(context, field) === undefined)
      .map(
        ({ name, stored }) =>
          `${key}.fields.${name}: this database has no columns with stored: ${JSON.stringify(stored)}`,
      ),
    ...[...fields, ...computed]
      .filter(({ storage }) => storage === 'bytes' && !servesBytes(context.db))
      .map(
        (value) =>
          `${key}.${value.kind === 'field' ? 'fields' : 'computed'}.${value.name}: this connection to SQLite cannot print base64; open it by openSqlite`,
      ),
  ])
  if (problems.length > 0) throw new TypeError(problems.join('\n'))
}
