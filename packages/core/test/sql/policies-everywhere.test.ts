import {
  countOf,
  defineResources,
  knows,
  maxOf,
  neededBy,
  needs,
  ownedBy,
  owns,
  sumOf,
  visible,
} from '@fastify-crud/core'
import { Type } from '@sinclair/typebox'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { OpenDatabase } from '../../../../test/support/databases.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import { ASCII_ONLY, EVERYTHING } from '../../src/asking/condition.ts'
import { NOT_IN_CURSOR } from '../../src/asking/cursor.ts'
import type { GroupQuery } from '../../src/asking/groups/group-query.ts'
import { type ListQuery, PLAIN_LIST } from '../../src/asking/list-query.ts'
import { readPolicies, rightsOf } from '../../src/asking/policies/read-policies.ts'
import { idsOf, stateOf, wholeRecord } from '../../src/asking/select/selections.ts'
import { type CollectionPath, ownedPath, topPath } from '../../src/model/collection-path.ts'
import { ALL_FIELDS } from '../../src/model/field-rights.ts'
import type { Field, Link, Resource } from '../../src/model/model.ts'
import { noLookups } from '../../src/planning/decide/lookups.ts'
import { rowsDeletedWith } from '../../src/planning/decide/may-be-blind.ts'
import { NO_NEW_IDS } from '../../src/planning/order/new-ids.ts'
import { queryContext } from '../../src/sql/context.ts'
import { type Statements, statementsOf } from '../../src/sql/statements.ts'
import { wideQuery } from './wide-query.ts'

const number = Type.Integer()

/**
 * All relation kinds, a tree at the top, and a tree below an owner, and what is computed of the records that a caller may see. Each
 * resource has a table of its own name.
 */
const model = defineResources({
  publisher: {
    fields: { name: Type.String() },
    relations: {
      books: neededBy.many('book', { inverse: 'publisher' }),
      printed: neededBy.many('book', { inverse: 'printers' }),
    },
    computed: {
      bookCount: countOf(visible('books')),
      printedCount: countOf(visible('printed')),
      lastTitle: maxOf(visible('books'), 'title'),
    },
  },
  tag: { fields: { word: Type.String() }, relations: { books: knows.many('book', { through: 'book_tag' }) } },
  book: {
    fields: { title: Type.String(), isbn: Type.String() },
    unique: [['isbn']],
    relations: {
      publisher: needs.one('publisher'),
      printers: needs.many('publisher'),
      cover: owns.one('cover'),
      chapters: owns.many('chapter'),
      sections: owns.many('section'),
      tags: knows.many('tag', { through: 'book_tag' }),
      folder: knows.one('folder'),
      best: knows.one('chapter'),
    },
    computed: {
      pages: sumOf(visible('chapters'), 'pages'),
      printerCount: countOf(visible('printers')),
      lastWord: maxOf(visible('tags'), 'word'),
      longChapters: {
        schema: number,
        value: ({ eb, visible }) =>
          eb
            .selectFrom(visible('chapters').as('one'))
            .select(({ fn }) => fn.countAll().as('n'))
            .where('one.pages', '>', 20),
      },
    },
  },
  cover: { fields: { url: Type.String() }, relations: { book: ownedBy('book') } },
  chapter: {
    fields: { title: Type.String(), pages: number },
    relations: { book: ownedBy('book'), notes: owns.many('note'), editor: knows.one('publisher') },
    computed: { noteCount: countOf(visible('notes')) },
  },
  note: { fields: { text: Type.String() }, relations: { chapter: ownedBy('chapter'), about: knows.one('section') } },
  section: {
    fields: { title: Type.String() },
    relations: {
      book: ownedBy('book'),
      above: ownedBy('section'),
      sections: owns.many('section'),
    },
  },
  folder: {
    fields: { name: Type.String() },
    relations: { above: ownedBy('folder', { optional: true }), folders: owns.many('folder') },
    computed: { below: countOf(visible('folders')) },
  },
})

const resources = [...model.resources.values()]
const links = resources.flatMap((resource) => resource.links)

/** Every path of the model; a tree is entered twice. */
function pathsOf(): readonly CollectionPath[] {
  const found: CollectionPath[] = resources.filter(({ isRoot }) => isRoot).map(({ key }) => topPath(model, key))
  for (const path of found) {
    if (path.relations.length > 2) continue
    for (const { name } of path.resource.owns) found.push(ownedPath(path, name))
  }
  return found
}

/** A list that begins behind a record whose first text the cursor does not hold. */
function behindLongText({ members }: Resource): ListQuery {
  const [member] = members as readonly [Field]
  const by = {
    kind: 'value',
    relations: [],
    operand: { kind: 'member', member, type: 'string' },
    isLowered: false,
  } as const
  const after = { values: [NOT_IN_CURSOR], id: 1 } as const
  return { ...PLAIN_LIST, shape: 'behind a long text', sort: [{ by, isDescending: false }], after }
}

/** The statements of a path that show rows, or act on rows that a request names. */
const SHOWING: Readonly<
  Record<string, (statements: Statements, path: CollectionPath) => readonly (string | undefined)[]>
> = {
  record: (statements, path) => [
    statements.record(path).sql,
    statements.record(path, stateOf(path.resource, ALL_FIELDS)).sql,
    statements.record(path, wholeRecord(path.resource, ALL_FIELDS), 'EditBefore').sql,
  ],
  recordAndState: (statements, path) => [
    statements.recordAndState(path, stateOf(path.resource, ALL_FIELDS), 'EditBefore').sql,
  ],
  records: (statements, path) => [
    statements.records(path, wholeRecord(path.resource, ALL_FIELDS)).sql,
    statements.records(path, stateOf(path.resource, ALL_FIELDS), 'EditBefore').sql,
  ],
  page: (statements, path) => [
    statements.page(path).statement.sql,
    statements.page(path, wideQuery(path.resource)).statement.sql,
    statements.page(path, { ...PLAIN_LIST, shape: 'some', count: 5 }).statement.sql,
    statements.page(path, behindLongText(path.resource)).statement.sql,
  ],
  chosenRecord: (statements, path) => [
    statements.chosenRecord(path, wideQuery(path.resource), ASCII_ONLY).statement.sql,
  ],
  groups(statements, path) {
    const { resource } = path
    const { condition } = wideQuery(resource)
    const operand = { kind: 'id', resource, form: 'whole', type: 'id' } as const
    const computed = resource.computed.map((member) => ({ kind: 'member', member, type: 'integer' }) as const)
    const query: GroupQuery = {
      ...{ shape: 'wide', condition, having: EVERYTHING, sort: [], count: 'exact', timeZone: undefined, mostRows: 1 },
      keys: [operand, ...computed].map((one) => ({ name: 'key', relations: [], operand: one, part: undefined })),
      values: [{ name: 'count()', word: 'count', relations: [], operand: undefined, type: 'integer' }],
      ...{ foldsCase: false, dependsOnTypes: false, cost: 0 },
    }
    return [statements.groups(path, query, ASCII_ONLY).sql]
  },
  blindUpdate(statements, path) {
    const values = path.resource.members.map(({ kind }, index) => (kind === 'field' && index === 0 ? 'x' : undefined))
    const { update, wouldChange } = statements.blindUpdate(path, values)
    return [update.sql, wouldChange?.sql]
  },
  'pipelined.keptRecord': ({ pipelined }, path) => [pipelined?.keptRecord(path).sql],
  'pipelined.unchanged': ({ pipelined }, path) => [
    pipelined?.unchanged(path, wholeRecord(path.resource, ALL_FIELDS)).sql,
  ],
}

/** Other statements, with the reason why they see rows that the caller may not see. */
const OTHERS: Readonly<Record<string, string>> = {
  maxAnswer: 'no statement',
  fieldRights: 'no statement',
  noteUnshown: 'no statement',
  stateWith: 'no statement',
  queryValues: 'no statement',
  groupValues: 'no statement',
  vacancy: 'owners must be shown (below); a place or an id is taken whoever has it',
  vacancies: 'owners must be shown (below), each of many',
  blindDelete: 'the record must be shown (below); what it owns goes with it',
  lookup: 'references must be shown (below); unique values and needs hold for all rows',
  lock: 'a hidden record is locked in vain: the read behind it does not find it',
  owner: 'of a record that was read before',
  spelledId: 'an id that the request names, whoever may see the record',
  allOwners: 'the statements that are given them check whether they are shown',
  allOwnersOfMany: 'the statements that are given them check whether they are shown',
  ownersOfHeld: 'of a record that comes back or goes for good, about which policies are asked as it is written',
  rows: 'for rules, which see all rows',
  lockRows: 'for rules, which see all rows',
  planned: 'a row that is not stored',
  allowed: 'asks the policies of what is to be done, about rows that a plan has chosen',
  steps: 'rows that a plan has chosen',
  pipelined: 'no statement',
  'pipelined.answerWithLinks': 'the record must be shown (below); the rows whose links it compares were read before',
  'pipelined.joined': 'rows that a plan has chosen',
  deletedRecord: 'a record that comes back or goes for good, about which policies are asked as it is written',
  deletedBelow: 'what such a record owns',
  needingDeleted: 'for what goes for good',
  undeletable: 'asks the policies of what goes for good with a record that is shown',
  numbers: 'of a table of the library',
  history: 'of tables of the library: what is read there is asked about before it is shown',
  ownedNow: 'what a record owns that goes again, about which policies are asked as it is written',
  states: 'asks the policies about records as they were',
  repeats: 'of a table of the library',
  'pipelined.noteKept': 'of a table of the library',
  stampTaken: 'a moment, whoever may see the records that have it',
  deferForeignKeys: 'a setting of the transaction',
  plansWithoutValues: 'a setting of the transaction',
  reserve: 'ids',
  isView: 'no rows',
  sequences: 'ids',
  skipId: 'ids',
  skipUsedIds: 'ids',
}

describeOnBoth('with a policy on each resource', (database) => {
  let open: OpenDatabase
  let statements: Statements

  beforeAll(async () => {
    open = await database.open()
    const policies = Object.fromEntries(
      resources.map(({ key }) => [
        key,
        ({ eb, my }: never) => (eb as CallableFunction)('tenant', '=', (my as CallableFunction)('org', 'integer')),
      ]),
    )
    const rights = rightsOf(readPolicies(model, policies), new Set())
    statements = statementsOf(queryContext(open.db, { rights }))
  })
  afterAll(() => open.close())

  test('every kind of statement is listed here, so that a new one is not forgotten', () => {
    const { pipelined } = statements
    const kinds = [...Object.keys(statements), ...Object.keys(pipelined ?? {}).map((kind) => `pipelined.${kind}`)]
    const listed = [...Object.keys(SHOWING), ...Object.keys(OTHERS)]
    expect(kinds.sort()).toEqual(listed.filter((kind) => pipelined !== undefined || !isPipelined(kind)).sort())
  })

  describe.each(Object.keys(SHOWING))('%s', (kind) => {
    test.each(pathsOf().map((path) => [nameOf(path), path] as const))(
      'of %s has the condition of each table',
      (_, path) => {
        const texts = SHOWING[kind]?.(statements, path).filter((text) => text !== undefined) ?? []
        if (statements.pipelined !== undefined || !isPipelined(kind)) expect(texts).not.toEqual([])
        for (const text of texts) expect(sourcesWithoutCondition(text, resources)).toEqual([])
      },
    )
  })

  test.each(pathsOf().map((path) => [nameOf(path), path] as const))(
    'to remove a record of %s finds it only if it is shown, with all that it owns',
    (_, path) => {
      const removed = statements.record(path, idsOf(path.resource), 'Delete').sql
      const along = rowsDeletedWith(path)
      const blind = along && statements.blindDelete(path, along).at(-1)?.sql
      const [top] = path.relations
      for (const text of [removed, blind]) {
        if (text === undefined) continue
        expect(text).toContain('"t0"."tenant"')
        const owners = top === undefined ? [] : sourcesWithoutCondition(text, [top.source])
        // What is removed with it has these aliases.
        expect(owners.filter((source) => !/"t\dc?"$/.test(source))).toEqual([])
      }
    },
  )

  test.each(pathsOf().flatMap((path) => (path.relations.length === 0 ? [] : [[nameOf(path), path] as const])))(
    'a record is added at %s only if its owners are shown',
    (_, path) => {
      const ofMany = statements.vacancies(path).sql
      // Before this, it finds the owners' ids.
      const checks = ofMany.slice(ofMany.indexOf('select (select'))
      const owners = path.relations.map(({ source }) => source)
      for (const text of [statements.vacancy(path, true).sql, checks])
        expect(sourcesWithoutCondition(text, owners).filter((source) => !source.endsWith('"t0"'))).toEqual([])
    },
  )

  test('an answer whose links are compared has the condition of each table', () => {
    for (const path of pathsOf()) {
      const text = statements.pipelined?.answerWithLinks(path).sql ?? ''
      // The rows whose links are compared have the alias `t`.
      expect(sourcesWithoutCondition(text, resources).filter((source) => !source.endsWith('"t"'))).toEqual([])
    }
  })

  test.each(resources.map((resource) => [resource.key, resource] as const))(
    'a reference to %s is known only if it and its owners are shown',
    (_, resource) => {
      const lookups = { ...noLookups, existing: new Map([[resource, new Set([1])]]) }
      const text = statements.lookup(lookups).query.sql
      expect(sourcesWithoutCondition(text, resources)).toEqual([])
      for (const { target } of resource.ownedBy) expect(text).toMatch(new RegExp(`"${target.key}" as`))
    },
  )

  test('records that need another are told only if they are shown', () => {
    const [printers] = links as [Link]
    const { referencedBy } = printers.target
    for (const relation of [printers, ...referencedBy]) {
      const needing = new Map([[relation, { targets: [1], except: [] }]])
      const text = statements.lookup({ ...noLookups, needing }).query.sql
      // The alias `t` counts all of them.
      expect(sourcesWithoutCondition(text, resources).filter((source) => !source.endsWith('"t"'))).toEqual([])
      expect(text).toContain('"s"."tenant"')
    }
  })

  test('rows that a plan changes are asked about one by one', () => {
    for (const resource of resources) {
      for (const action of ['View', 'Add', 'EditAfter', 'EditBefore', 'Delete'] as const) {
        const when = action === 'View' ? 'again' : 'once'
        const guarded = [{ resource, action, rows: new Map([[1, undefined]]), when } as const]
        expect(statements.allowed(guarded, NO_NEW_IDS)?.query.sql).toContain('"t"."tenant"')
      }
    }
  })
})

function isPipelined(kind: string): boolean {
  return kind.startsWith('pipelined.')
}

function nameOf({ relations, resource }: CollectionPath): string {
  return [...relations.map(({ source }) => source.key), resource.key].join('.')
}

/** The tables of these resources that stand in a statement without their condition, with their aliases. */
function sourcesWithoutCondition(text: string, of: readonly Resource[]): readonly string[] {
  const tables = of.map(({ table }) => table).join('|')
  const found = [...text.matchAll(new RegExp(`\\b(?:from|join|update) "(${tables})"(?: as "(\\w+)")?`, 'g'))]
  const sources = found.map(([, table, alias]) => ({ table, alias: alias ?? table }))
  return sources
    .filter(({ alias }) => count(text, `"${alias}"."tenant"`) < sources.filter((one) => one.alias === alias).length)
    .map(({ table, alias }) => `"${table}" as "${alias}"`)
}

function count(text: string, part: string): number {
  return text.split(part).length - 1
}
