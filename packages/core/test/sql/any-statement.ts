import fc from 'fast-check'
import { readGroupQuery } from '../../src/asking/groups/group-query.ts'
import { type ListRequest, readListQuery } from '../../src/asking/list-query.ts'
import type { RowAction } from '../../src/asking/policies/rights.ts'
import { idAlone, idsOf, rowAlone, stateOf, summaryOf, wholeRecord } from '../../src/asking/select/selections.ts'
import { deletedPath } from '../../src/model/collection-path.ts'
import { ALL_FIELDS } from '../../src/model/field-rights.ts'
import type { Resource } from '../../src/model/model.ts'
import type { GuardedRows } from '../../src/planning/decide/guarded-rows.ts'
import { type Lookups, noLookups } from '../../src/planning/decide/lookups.ts'
import { rowsDeletedWith } from '../../src/planning/decide/may-be-blind.ts'
import type { Statements } from '../../src/sql/statements.ts'
import { pathsOf } from './any-model.ts'
import { anyIds, anyNewIds, anyResource, anyStep, links, references, valuesFor } from './any-step.ts'

/** Asks for statements: all that comes of one call. */
export type Ask = (statements: Statements) => unknown

const anyPath = fc.constantFrom(...pathsOf())
/** Also of deleted records. */
const anyRead = fc.constantFrom(
  ...pathsOf(),
  ...pathsOf()
    .filter(({ resource }) => isMarked(resource))
    .map(deletedPath),
)
/** With `softDelete`. */
const anyMarked = fc.constantFrom(...pathsOf().map(({ resource }) => resource)).filter(isMarked)
const anyAction = fc.constantFrom<RowAction>('View', 'Add', 'EditBefore', 'EditAfter', 'Delete')
const anyWaiting = fc.constantFrom('waits' as const, 'skips' as const)
const selections = [
  (resource: Resource) => wholeRecord(resource, ALL_FIELDS),
  (resource: Resource) => stateOf(resource, ALL_FIELDS),
  (resource: Resource) => summaryOf(resource, ALL_FIELDS),
  idsOf,
  idAlone,
  rowAlone,
]
const anySelection = fc.constantFrom(...selections)
const besides = fc.subarray(['book.pages', 'book.cover', 'book.tags'])

function isMarked({ softDelete }: Resource): boolean {
  return softDelete !== undefined
}

function stateBesides(statements: Statements, resource: Resource, names: readonly string[]) {
  const relations = [...resource.owns, ...resource.links]
  return statements.stateWith(
    resource,
    new Set(relations.filter(({ source, name }) => names.includes(`${source.key}.${name}`))),
  )
}

const someOf = <Item>(items: readonly Item[]) => fc.subarray([...items])
const anyQuery = fc.record({
  filter: fc.constantFrom(undefined, ['eq', 1], ['in', [1]], ['gt', 1]),
  search: fc.constantFrom(undefined, 'abc', 'ab abc'),
  sort: fc.constantFrom(undefined, ['id'], ['-id']),
  fields: fc.constantFrom(undefined, ['id']),
  count: fc.constantFrom('exact', 'none', 3, 4),
})
const anyGroups = fc.record({
  by: fc.constantFrom([], ['id']),
  values: fc.constantFrom(undefined, ['count(id)', 'count()'], ['countDistinct(id)']),
  filter: fc.constantFrom(undefined, { id: 1 }),
  having: fc.constantFrom(undefined, { 'count()': 1 }),
  sort: fc.constantFrom([], ['-id']),
  count: fc.constantFrom('exact', 'none', 3, 4),
})
const anyComparing = fc.record({ foldsAll: fc.boolean(), printsIso: fc.boolean(), findsParts: fc.boolean() })
const LIMITS = {
  maxFilters: 50,
  maxFilterDepth: 5,
  maxCost: 1_000,
  maxNested: 100,
  maxRows: 1_000,
  groupRows: 1_000,
  count: 'exact',
} as const

const SCOPE = {
  hidden: new Set<Resource>(),
  fieldRights: ALL_FIELDS,
  ids: 'short' as const,
  limits: LIMITS,
  hasFunctions: true,
  findsParts: true,
}

function listQueryOf(
  resource: Resource,
  { filter, search, sort, fields, count }: NonNullable<typeof anyQuery extends fc.Arbitrary<infer Q> ? Q : never>,
) {
  const request: ListRequest = { limit: 20, count, ...(sort && { sort }), ...(fields && { fields }) }
  const asked = search === undefined || resource.search === undefined ? request : { ...request, search }
  const withFilter = filter === undefined ? asked : { ...asked, filter: { id: { [filter[0] as string]: filter[1] } } }
  return readListQuery(
    { path: { resource, relations: [], isTopLevel: false }, owners: [] },
    withFilter,
    { ...SCOPE, costs: [] },
    [],
  )
}

const anyGuarded: fc.Arbitrary<GuardedRows[]> = fc.array(
  fc.record({
    resource: anyResource,
    action: anyAction,
    rows: fc.constantFrom(1, { new: 3 }).map((row) => new Map([[row, undefined]])),
    when: fc.constantFrom('once' as const, 'again' as const),
  }),
  { maxLength: 2 },
)

const anyLookups: fc.Arbitrary<Lookups> = fc
  .record({
    existing: fc.subarray([...new Set(pathsOf().map(({ resource }) => resource))], { maxLength: 2 }),
    forRules: fc.subarray([...new Set(pathsOf().map(({ resource }) => resource))], { maxLength: 2 }),
    holders: someOf(
      pathsOf().flatMap(({ resource }) => resource.uniques.map((key) => ({ resource, key, values: [] }))),
    ),
    linkHolders: someOf(links),
    guarded: anyGuarded,
    needing: someOf([...links, ...references]),
  })
  .map(({ existing, forRules, holders, linkHolders, guarded, needing }) => ({
    ...noLookups,
    existing: new Map(existing.map((resource) => [resource, new Set([1])])),
    existingForRules: new Map(forRules.map((resource) => [resource, new Set([1])])),
    holders,
    linkHolders: new Map(linkHolders.map((link) => [link, [1]])),
    guarded: guarded.map((one) => ({ ...one, rows: new Map([[1, undefined]]) })),
    needing: new Map(needing.map((relation) => [relation, { targets: [1], except: [2] }])),
  }))

const anyRowsAsked = fc.array(
  fc
    .tuple(fc.constantFrom(...links, ...references), fc.boolean(), fc.constantFrom(rowAlone, idAlone, idsOf), anyIds)
    .map(([relation, isNaming, selectionOf, ids]) => ({
      selection: selectionOf(relation.source),
      naming: isNaming ? relation : undefined,
      ids,
    })),
  { minLength: 1, maxLength: 2 },
)

const anyPlanned = fc
  .tuple(anyResource, fc.boolean())
  .chain(([resource, isAdded]) =>
    valuesFor(resource).map((values) =>
      isAdded
        ? { resource, action: 'Add' as const, owners: resource.ownedBy.map(() => 1), values }
        : { resource, action: 'EditAfter' as const, id: 1, values },
    ),
  )

/** Statements by their names in `Statements`. Each may be asked for by any arguments, of which there are few: so most are asked for again. */
export const anyAsk: Readonly<Record<string, fc.Arbitrary<Ask>>> = {
  record: fc.tuple(anyRead, fc.option(anySelection, { nil: undefined }), fc.option(anyAction, { nil: undefined })).map(
    ([path, of, action]) =>
      (on) =>
        on.record(path, of?.(path.resource), action),
  ),
  recordAndState: fc.tuple(anyPath, besides, anyAction).map(
    ([path, names, action]) =>
      (on) =>
        on.recordAndState(path, stateBesides(on, path.resource, names), action),
  ),
  records: fc.tuple(anyPath, anySelection, fc.option(anyAction, { nil: undefined })).map(
    ([path, of, action]) =>
      (on) =>
        on.records(path, of(path.resource), action),
  ),
  stateWith: fc.tuple(anyPath, besides).map(
    ([path, names]) =>
      (on) =>
        on.record(path, stateBesides(on, path.resource, names)),
  ),
  page: fc.tuple(anyRead, anyQuery, anyComparing).map(
    ([path, query, comparing]) =>
      (on) =>
        on.page(path, listQueryOf(path.resource, query), comparing).statement,
  ),
  groups: fc.tuple(anyPath, anyGroups, anyComparing).map(
    ([path, asked, comparing]) =>
      (on) =>
        on.groups(path, readGroupQuery(path.resource, { limit: 20, ...asked }, { ...SCOPE, costs: [] }, []), comparing),
  ),
  chosenRecord: fc.tuple(anyRead, anyQuery, anyComparing).map(
    ([path, query, comparing]) =>
      (on) =>
        on.chosenRecord(path, listQueryOf(path.resource, query), comparing).statement,
  ),
  vacancy: fc.tuple(anyPath, fc.boolean()).map(
    ([path, withId]) =>
      (on) =>
        on.vacancy(path, withId),
  ),
  vacancies: anyPath.filter(({ relations }) => relations.length > 0).map((path) => (on) => on.vacancies(path)),
  owner: anyResource.map((resource) => (on) => on.owner(resource)),
  allOwners: anyResource.map((resource) => (on) => on.allOwners(resource)),
  allOwnersOfMany: anyResource.map((resource) => (on) => on.allOwnersOfMany(resource)),
  ownersOfHeld: anyResource.map((resource) => (on) => on.ownersOfHeld(resource)),
  spelledId: anyResource.map((resource) => (on) => on.spelledId(resource)),
  lock: fc.tuple(anyResource, anyWaiting).map(
    ([resource, waiting]) =>
      (on) =>
        on.lock(resource, waiting),
  ),
  rows: anyRowsAsked.map((asked) => (on) => on.rows(asked)),
  lockRows: fc.tuple(anyResource, fc.constantFrom('for update' as const, 'for no key update' as const), anyWaiting).map(
    ([resource, lock, waiting]) =>
      (on) =>
        on.lockRows?.(resource, [1], lock, waiting),
  ),
  blindUpdate: anyPath.chain((path) =>
    valuesFor(path.resource).map((values) => (on) => {
      const fields = values.map((value, index) => (path.resource.members[index]?.kind === 'field' ? value : undefined))
      const { update, wouldChange, toValues } = on.blindUpdate(path, fields)
      return [update, wouldChange, toValues({ id: 1 }, fields)]
    }),
  ),
  blindDelete: anyPath.map((path) => (on) => on.blindDelete(path, rowsDeletedWith(path) ?? [])),
  lookup: anyLookups.map((lookups) => (on) => on.lookup(lookups)),
  planned: anyPlanned.map((row) => (on) => on.planned(row)),
  allowed: fc.tuple(anyGuarded, anyNewIds).map(
    ([guarded, newIds]) =>
      (on) =>
        on.allowed(guarded, newIds),
  ),
  steps: fc.tuple(anyStep, anyNewIds).map(([step, newIds]) => (on) => {
    const { shape, values } = on.steps.part(step, newIds)
    return [shape.ownStatement(), values]
  }),
  reserve: fc.tuple(fc.array(anyResource, { minLength: 1, maxLength: 2 }), fc.boolean()).map(
    ([of, hasSequences]) =>
      (on) =>
        on.reserve(
          of.map((resource) => ({ resource, numbers: [0], chosen: [] })),
          hasSequences,
        ),
  ),
  deletedRecord: anyMarked.map((resource) => (on) => on.deletedRecord(resource)),
  deletedBelow: fc.tuple(anyMarked, fc.option(anyMarked, { nil: undefined })).map(
    ([{ owns }, topmost]) =>
      (on) =>
        owns.map((one) => on.deletedBelow(one, topmost)),
  ),
  ownedNow: anyResource.map(
    ({ owns }) =>
      (on) =>
        owns.map((one) => on.ownedNow(one)),
  ),
  states: fc.tuple(anyResource, anyAction).map(
    ([resource, action]) =>
      (on) =>
        on.states(resource, action, [{ row: { id: resource.id.example }, owners: [] }]),
  ),
  needingDeleted: fc.constantFrom(...references, ...links).map((relation) => (on) => on.needingDeleted(relation)),
  undeletable: anyMarked.map((resource) => (on) => on.undeletable(resource)),
  stampTaken: fc.tuple(anyMarked, anyIds).map(
    ([{ owns }, ids]) =>
      (on) =>
        on.stampTaken(
          owns.map((one) => ({ owns: one, ids })),
          'at',
        ),
  ),
  skipId: anyResource.map((resource) => (on) => on.skipId(resource)),
  skipUsedIds: anyResource.map((resource) => (on) => on.skipUsedIds(resource)),
  'pipelined.joined': fc
    .tuple(fc.array(anyStep, { minLength: 1, maxLength: 3 }), anyNewIds, fc.boolean())
    .map(([steps, newIds, hasSettings]) => ({ pipelined }) => {
      const { statement, values, returned } = pipelined?.joined(steps, newIds, hasSettings) ?? {}
      return [statement, values, returned?.map(({ number }) => number)]
    }),
  isView: anyResource.map((resource) => (on) => on.isView?.(resource)),
  'pipelined.keptRecord': anyPath.map(
    (path) =>
      ({ pipelined }) =>
        pipelined?.keptRecord(path),
  ),
  'pipelined.noteKept': anyResource.map(
    (resource) =>
      ({ pipelined }) =>
        pipelined?.noteKept(resource),
  ),
  'pipelined.answerWithLinks': anyPath.map(
    (path) =>
      ({ pipelined }) =>
        pipelined?.answerWithLinks(path),
  ),
  'pipelined.unchanged': fc.tuple(anyPath, anySelection, anyAction).map(
    ([path, of, action]) =>
      ({ pipelined }) =>
        pipelined?.unchanged(path, of(path.resource), action),
  ),
}
