import { isDeepStrictEqual } from 'node:util'
import type { Json } from './json.ts'
import {
  type Access,
  type Caller,
  type Condition,
  NO_RECORD,
  type PolicySpec,
  type RowAction,
  type RuleSpec,
} from './policy-spec.ts'
import { type RefModel, type RefResource, resourceOf } from './reference-model.ts'
import { type Row, rowsOf, type State } from './reference-store.ts'

/** What one caller may do, for the time of one request. */
export interface Rights {
  readonly model: RefModel
  readonly access: Access
  readonly caller: Caller
}

/** The caller's rights. An id that no record has had yet stands for none, whatever the request makes. */
export function rightsFor(model: RefModel, access: Access, caller: Caller, state: State): Rights {
  const values = Object.entries(caller.values).map(([name, one]): [string, Caller['values'][string]] => {
    const isLater = one.idOf !== undefined && Number(one.value) > (state.lastId.get(one.idOf) ?? 0)
    return [name, isLater ? { ...one, value: NO_RECORD } : one]
  })
  return { model, access, caller: { ...caller, values: Object.fromEntries(values) } }
}

export function hasPolicy({ access }: Rights, resource: RefResource): boolean {
  return access.policies[resource.key] !== undefined
}

/** Whether the resource's own policy allows something with the row; true if it has none. */
export function fulfils(rights: Rights, state: State, resource: RefResource, action: RowAction, row: Row): boolean {
  const { access, caller } = rights
  const policy = access.policies[resource.key]
  if (policy === undefined) return true
  if ('forAll' in policy) return holds(rights, state, resource, policy.forAll[action], row)
  return caller.roles.some((role) => {
    const rule = policy.byRole[role]?.[action] ?? false
    const lacks =
      typeof rule !== 'boolean' && namesIn(rule).some((name) => (caller.values[name]?.value ?? null) === null)
    return !lacks && holds(rights, state, resource, rule, row)
  })
}

/** Whether a row as it is may be edited or deleted: without a policy of its own, as its owner may be edited. */
export function mayWrite(rights: Rights, state: State, resource: RefResource, action: RowAction, row: Row): boolean {
  if (hasPolicy(rights, resource)) return fulfils(rights, state, resource, action, row)
  const owner = ownerOrGone(rights.model, state, resource, row)
  const ofOwner = action === 'EditAfter' ? action : 'EditBefore'
  if (owner === undefined) return true
  if (owner.row === undefined) return !mayForbid(rights, owner.resource, ofOwner)
  return mayWrite(rights, state, owner.resource, ofOwner, owner.row)
}

/** Whether some record may not be written so. */
function mayForbid(rights: Rights, resource: RefResource, action: 'EditBefore' | 'EditAfter'): boolean {
  const { model, access, caller } = rights
  const policy = access.policies[resource.key]
  if (policy !== undefined) return !rulesOf(policy, caller, action).includes(true)
  const owners = resource.owners.filter(({ target }) => target !== resource.key)
  return owners.some(({ target }) => mayForbid(rights, resourceOf(model, target), action))
}

/** What the caller sees of everything that is stored: without hidden records, and without links to or from them. */
export function seenState(rights: Rights, state: State): State {
  const { model } = rights
  const rows = new Map<string, Map<number, Row>>()
  for (const resource of model.resources.values()) {
    const seen = [...rowsOf(state, resource.key)].filter(([, row]) => isSeen(rights, state, resource, row))
    rows.set(resource.key, new Map(seen))
  }
  const links = new Map(state.links)
  for (const { key, links: ofResource } of model.resources.values()) {
    for (const { table, from, to, target } of ofResource) {
      const seen = (links.get(table) ?? []).filter((link) => {
        return rows.get(key)?.has(Number(link[from])) && rows.get(target)?.has(Number(link[to]))
      })
      links.set(table, seen)
    }
  }
  return { ...state, rows, links }
}

/** The resources of which policies may hide some records from the caller. */
export function hiddenResources(rights: Rights): ReadonlySet<string> {
  const { model, access, caller } = rights
  const hides = (resource: RefResource): boolean => {
    const policy = access.policies[resource.key]
    const views = policy === undefined ? [true] : rulesOf(policy, caller, 'View')
    const owners = resource.owners.filter(({ target }) => target !== resource.key)
    return !views.includes(true) || owners.some(({ target }) => hides(resourceOf(model, target)))
  }
  return new Set([...model.resources.values()].filter(hides).map(({ key }) => key))
}

function rulesOf(policy: PolicySpec, { roles }: Caller, action: RowAction): RuleSpec[] {
  return 'forAll' in policy ? [policy.forAll[action]] : roles.map((role) => policy.byRole[role]?.[action] ?? false)
}

function isSeen(rights: Rights, state: State, resource: RefResource, row: Row): boolean {
  if (!fulfils(rights, state, resource, 'View', row)) return false
  const owner = ownerOrGone(rights.model, state, resource, row)
  if (owner === undefined) return true
  if (owner.row === undefined) return !hiddenResources(rights).has(owner.resource.key)
  return isSeen(rights, state, owner.resource, owner.row)
}

export function ownerOf(
  model: RefModel,
  state: State,
  resource: RefResource,
  owned: Row,
): { readonly resource: RefResource; readonly row: Row } | undefined {
  const owner = ownerOrGone(model, state, resource, owned)
  if (owner === undefined) return undefined
  const { row } = owner
  if (row === undefined) throw new Error(`the owner of a ${resource.key} is not there`)
  return { ...owner, row }
}

/** The owner of a deleted record may have been deleted by another write. */
function ownerOrGone(
  model: RefModel,
  state: State,
  resource: RefResource,
  { owner }: Row,
): { readonly resource: RefResource; readonly row: Row | undefined } | undefined {
  const relation = resource.owners.find(({ name }) => name === owner?.relation)
  if (owner === undefined || relation === undefined) return undefined
  return { resource: resourceOf(model, relation.target), row: rowsOf(state, relation.target).get(owner.id) }
}

function holds(rights: Rights, state: State, resource: RefResource, rule: RuleSpec, row: Row): boolean {
  return typeof rule === 'boolean' ? rule : isTrue(rights, state, resource, rule, row) === true
}

/** As SQL has it: undefined where a value is missing. */
function isTrue(
  rights: Rights,
  state: State,
  resource: RefResource,
  condition: Condition,
  row: Row,
): boolean | undefined {
  const inner = (one: Condition): boolean | undefined => isTrue(rights, state, resource, one, row)
  switch (condition.is) {
    case 'constant':
      return equals(columnValue(resource, row, condition.property), condition.value)
    case 'mine':
      return equals(columnValue(resource, row, condition.property), rights.caller.values[condition.name]?.value ?? null)
    case 'in': {
      const value = columnValue(resource, row, condition.property)
      return value === null ? undefined : condition.values.some((one) => equals(value, one) === true)
    }
    case 'null':
      return columnValue(resource, row, condition.property) === null
    case 'can': {
      const target = resourceOf(rights.model, condition.target)
      const named = rowsOf(state, target.key).get(Number(columnValue(resource, row, condition.property)))
      if (named === undefined || !isSeen(rights, state, target, named)) return false
      const action = condition.action === 'Edit' ? 'EditBefore' : condition.action
      return action === 'View' || mayWrite(rights, state, target, action, named)
    }
    case 'not': {
      const one = inner(condition.of)
      return one === undefined ? undefined : !one
    }
    case 'and':
    case 'or': {
      const all = condition.of.map(inner)
      const decisive = condition.is === 'or'
      if (all.includes(decisive)) return decisive
      return all.includes(undefined) ? undefined : !decisive
    }
  }
}

function equals(one: Json, other: Json): boolean | undefined {
  return one === null || other === null ? undefined : isDeepStrictEqual(one, other)
}

function columnValue({ owners }: RefResource, row: Row, property: string): Json {
  const owner = owners.find(({ name }) => `owner ${name}` === property)
  if (owner !== undefined) return row.owner?.relation === owner.name ? row.owner.id : null
  return row.values[property] ?? null
}

/** The values of the caller that a condition asks for. */
function namesIn(condition: Condition): string[] {
  if (condition.is === 'mine') return [condition.name]
  if (condition.is === 'not') return namesIn(condition.of)
  return condition.is === 'and' || condition.is === 'or' ? condition.of.flatMap(namesIn) : []
}
