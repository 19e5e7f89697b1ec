import {
  AliasNode,
  IdentifierNode,
  type OperationNode,
  ReferenceNode,
  SelectQueryNode,
  TableNode,
  ValueNode,
} from 'kysely'
import type { Resource } from '../../model/model.ts'
import type { CallersType } from './callers-type.ts'
import { RelatedRecords } from './callers-type.ts'
import { type Columns, columnsOf, type Tables } from './columns-of-tables.ts'

/** The columns of the tables in a query, by how it names them; undefined where nothing is known of them. */
type Scope = ReadonlyMap<string, Columns | undefined>

/** Which columns an expression over a resource's table can name, at the place that was reached in it. */
export class ColumnsInSight {
  readonly #resource: Resource
  readonly #tables: () => Tables
  /** The subqueries around the place. */
  readonly #queries: SelectQueryNode[] = []

  /** `tables`: those that the expression may name. It is asked only where one of them matters. */
  constructor(resource: Resource, tables: () => Tables) {
    this.#resource = resource
    this.#tables = tables
  }

  /** Does work with what is in sight inside of a subquery. */
  inside<Result>(query: SelectQueryNode, work: () => Result): Result {
    this.#queries.push(query)
    const result = work()
    this.#queries.pop()
    return result
  }

  /** The type of a column, or of the only column of a subquery; undefined for all else, and for what the model does not
   * know. */
  typeOf(node: OperationNode): CallersType | undefined {
    if (ReferenceNode.is(node)) return this.#typeOfColumn(node)
    if (!SelectQueryNode.is(node)) return undefined
    const [only, ...others] = [...(this.#columnsOfQuery(node)?.values() ?? [])]
    return others.length === 0 ? only : undefined
  }

  #typeOfColumn({ table, column }: ReferenceNode): CallersType | undefined {
    if (column.kind !== 'ColumnNode') return undefined
    const name = column.column.name
    for (const scope of this.#scopes()) {
      if (table !== undefined) {
        const called = table.table.identifier.name
        if (scope.has(called)) return scope.get(called)?.get(name)
        continue
      }
      const all = [...scope.values()]
      if (all.includes(undefined)) return undefined
      const having = all.filter((columns) => columns?.has(name))
      if (having.length > 0) return having.length === 1 ? having[0]?.get(name) : undefined
    }
    return undefined
  }

  /** From the innermost subquery to the resource's own table. */
  *#scopes(): Iterable<Scope> {
    for (const query of this.#queries.toReversed()) yield this.#scopeOf(query)
    yield new Map([[bareName(this.#resource.table), columnsOf(this.#resource)]])
  }

  /** The columns of a subquery, by their names; undefined unless all are plain columns of which the types are known. */
  #columnsOfQuery(query: SelectQueryNode): Columns | undefined {
    return this.inside(query, () => {
      const columns = new Map<string, CallersType>()
      for (const { selection } of query.selections ?? []) {
        const [value, alias] = AliasNode.is(selection) ? [selection.node, selection.alias] : [selection, undefined]
        if (!ReferenceNode.is(value) || value.column.kind !== 'ColumnNode') return undefined
        const type = this.#typeOfColumn(value)
        if (type === undefined) return undefined
        columns.set(alias !== undefined && IdentifierNode.is(alias) ? alias.name : value.column.column.name, type)
      }
      return columns
    })
  }

  #scopeOf(query: SelectQueryNode): Scope {
    const scope = new Map<string, Columns | undefined>()
    const own = new Set((query.with?.expressions ?? []).map(({ name }) => name.table.table.identifier.name))
    for (const table of [...(query.from?.froms ?? []), ...(query.joins ?? []).map((join) => join.table)]) {
      const [source, alias] = AliasNode.is(table) ? [table.node, table.alias] : [table, undefined]
      const name = alias !== undefined && IdentifierNode.is(alias) ? alias.name : nameOf(source)
      const isOwn = TableNode.is(source) && own.has(source.table.identifier.name)
      scope.set(name, isOwn ? undefined : this.#columnsIn(source))
    }
    return scope
  }

  #columnsIn(source: OperationNode): Columns | undefined {
    if (TableNode.is(source)) {
      const { schema, identifier } = source.table
      const rows = this.#tables().get(schema === undefined ? identifier.name : `${schema.name}.${identifier.name}`)
      return rows && new Map(rows.flatMap((one) => [...columnsOf(one)]))
    }
    if (ValueNode.is(source) && source.value instanceof RelatedRecords) return columnsOf(source.value.relation.target)
    return SelectQueryNode.is(source) ? this.#columnsOfQuery(source) : undefined
  }
}

/** A query names a table without its schema. */
function bareName(table: string): string {
  return table.slice(table.lastIndexOf('.') + 1)
}

function nameOf(source: OperationNode): string {
  return TableNode.is(source) ? source.table.identifier.name : ''
}
