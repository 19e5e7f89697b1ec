import { type AnyKysely, defineResources, type Model, ModelError, type ModelProblem } from '@fastify-crud/core'
import { didYouMean } from '@fastify-crud/core/internal'
import { needsValue } from '../catalogs/found-tables.ts'
import { checkTables } from '../check/check-tables.ts'
import type { TableProblem } from '../check/table-problem.ts'
import type { FoundModel, FoundResource } from './draft/draft.ts'
import { draftResources } from './draft/draft-resources.ts'
import { Exclusions } from './draft/exclusions.ts'
import { printResources } from './print/print-resources.ts'
import { type Catalog, readCatalog } from './read/catalog.ts'
import { toDescriptors } from './to-descriptors.ts'

export interface IntrospectOptions {
  /** PostgreSQL: the schema of the tables. Default: the first one of the search path. */
  readonly schema?: string
  /** The tables to describe. Default: all. */
  readonly only?: readonly string[]
}

export interface Introspection {
  /** A module in JavaScript, also valid as TypeScript, that exports `resources`. */
  readonly source: string
  /** The same as a model. */
  readonly resources: Model
  /** By the name of the table: the key of its resource, or where its links are, or why it is neither. */
  readonly tables: ReadonlyMap<string, TableOutcome>
}

export type TableOutcome =
  | { readonly resource: string }
  /** It holds the links of these resources. */
  | { readonly links: readonly [string, string] }
  | { readonly reason: string }

/**
 * Describes the tables of a database as resources: columns, types, keys, defaults, and a relation for each foreign key.
 * What cannot be described is left out, and the source has a comment with the reason.
 *
 * Resolves to the source of a module, the model that it makes, and what became of each table. `defineResources` accepts
 * the model, and `checkTables` finds no error in the structure of its tables. Reads the catalogs, and some rows;
 * changes nothing.
 *
 * Rejects with a TypeError for a database that is not supported, for a schema or table that is not there, and where no
 * table can be described.
 *
 * @example
 * const { source } = await introspect(db)
 * await writeFile('resources.ts', source)
 */
export async function introspect(db: AnyKysely, options: IntrospectOptions = {}): Promise<Introspection> {
  const catalog = only(await readCatalog(db, options.schema), options.only)
  const plain = db.withoutPlugins()
  const exclusions = new Exclusions()
  for (;;) {
    const before = exclusions.size
    const draft = draftResources(catalog, exclusions)
    if (draft.resources.length === 0) throw new TypeError(nothingOf(draft))
    const model = define(draft, catalog, exclusions)
    if (model !== undefined) {
      const findings = await checkTables(plain, model)
      for (const finding of findings)
        if (finding.severity === 'error') excludeColumnOrTable(finding, { draft, catalog, exclusions })
      if (exclusions.size === before) return toIntrospection(draft, model)
    } else if (exclusions.size === before) {
      throw new Error('introspect: the tables could not be described, which is a fault of the library')
    }
  }
}

function nothingOf({ left }: FoundModel): string {
  const reasons = [...left].map(([table, reason]) => `${table}: ${reason}`)
  return ['introspect: there is no table that can be described', ...reasons].join('\n')
}

function only(catalog: Catalog, names: readonly string[] | undefined): Catalog {
  if (names === undefined) return catalog
  const unknown = names.find((name) => !catalog.tables.has(name))
  if (unknown !== undefined) {
    throw new TypeError(`introspect: there is no table '${unknown}'${didYouMean(unknown, [...catalog.tables.keys()])}`)
  }
  return { ...catalog, tables: new Map([...catalog.tables].filter(([name]) => names.includes(name))) }
}

/** The model; undefined if something had to be excluded. */
function define(draft: FoundModel, catalog: Catalog, exclusions: Exclusions): Model | undefined {
  try {
    return defineResources(toDescriptors(draft)) as Model
  } catch (error) {
    if (!(error instanceof ModelError)) throw error
    // In a circle of resources that need each other, one relation less may be enough.
    const [first, ...others] = error.problems
    const isCircle = ({ place }: ModelProblem) => place.endsWith('.relations')
    for (const { place, message } of [first as ModelProblem, ...others.filter((one) => !isCircle(one))]) {
      excludePlace(place, message, { draft, catalog, exclusions })
    }
    return undefined
  }
}

function toIntrospection(draft: FoundModel, model: Model): Introspection {
  const keyOf = (table: string) => draft.resources.find((one) => one.table === table)?.key ?? table
  const tables = new Map<string, TableOutcome>([
    ...draft.resources.map(({ table, key }) => [table, { resource: key }] as const),
    ...draft.links.map(
      ({ table, from, to }) => [table, { links: [keyOf(from.table), keyOf(to.table)] as const }] as const,
    ),
    ...[...draft.left].map(([table, reason]) => [table, { reason }] as const),
  ])
  return { source: printResources(draft), resources: model, tables }
}

/** A draft that has been tried. */
interface Tried {
  readonly draft: FoundModel
  readonly catalog: Catalog
  readonly exclusions: Exclusions
}

/** Excludes what a problem of the model is about: a field, a relation, a unique key, or the whole resource. */
function excludePlace(place: string, reason: string, tried: Tried): void {
  const [key, part, ...rest] = place.split('.')
  const name = rest.join('.')
  const resource = tried.draft.resources.find((one) => one.key === key)
  if (resource === undefined) return
  const field = part === 'fields' ? resource.fields.find((one) => one.name === name) : undefined
  const relation = part === 'relations' ? relationInTheWay(resource, name) : undefined
  const unique = resource.unique[Number(/^unique\[(\d+)\]$/.exec(part ?? '')?.[1])]
  if (field !== undefined) excludeColumn(resource.table, field.column, reason, tried)
  else if (relation !== undefined) tried.exclusions.excludeRelation(resource.table, relation, reason)
  else if (unique !== undefined) tried.exclusions.excludeUnique(resource.table, unique, reason)
  else tried.exclusions.excludeTable(resource.table, reason)
}

/** The foreign key's column of the relation with that name, or else of one that each record must have. */
function relationInTheWay({ relations }: FoundResource, name: string): string | undefined {
  const named = relations.find((one) => one.name === name)
  const required = relations.find(({ foreignKey, options }) => foreignKey !== undefined && options.optional !== true)
  return (named ?? required)?.foreignKey?.column
}

/**
 * Excludes what an error in a table is about: a column, a relation, or the whole table. An error of the connection
 * excludes nothing. One of values becomes a note, because values come and go.
 */
function excludeColumnOrTable({ kind, table, column, message }: TableProblem, tried: Tried): void {
  const { draft, exclusions } = tried
  const name = table?.split('.').at(-1)
  const resource = draft.resources.find((one) => one.table === name)
  const link = draft.links.find((one) => one.table === name)
  if (link !== undefined && column !== undefined) exclusions.excludeRelation(link.table, column, message)
  else if (link !== undefined) exclusions.excludeTable(link.table, message)
  if (resource === undefined) return
  if (kind === 'value' && column !== undefined) {
    exclusions.noteColumn(resource.table, column, message)
    return
  }
  const hasRelation = resource.relations.some(
    ({ foreignKey }) => foreignKey !== undefined && foreignKey.column === column,
  )
  if (column === undefined || column === resource.idColumn) exclusions.excludeTable(resource.table, message)
  else if (hasRelation) exclusions.excludeRelation(resource.table, column, message)
  else excludeColumn(resource.table, column, message, tried)
}

/** Without a column that each new row needs, a table is only read; without one of its key, there is none. */
function excludeColumn(table: string, column: string, reason: string, { draft, catalog, exclusions }: Tried): void {
  const existing = catalog.tables.get(table)
  const found = existing?.found.columns.get(column)
  const resource = draft.resources.find((one) => one.table === table)
  const isRead = resource?.id === false || resource?.isReadOnly === true
  if (existing === undefined || found === undefined || existing.primaryKey.includes(column))
    exclusions.excludeTable(table, reason)
  else if (isRead || !needsValue(existing.found, found)) exclusions.excludeColumn(table, column, reason)
  else exclusions.excludeNeeded(table, column, `of its column ${JSON.stringify(column)}, ${reason}`)
}
