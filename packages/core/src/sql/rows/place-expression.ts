import {
  type OperationNode,
  OperationNodeTransformer,
  type PrimitiveValueListNode,
  ReferenceNode,
  type SelectQueryNode,
  sql,
  TableNode,
  ValueListNode,
  ValueNode,
} from 'kysely'
import type { CallersType } from '../../asking/policies/callers-type.ts'
import {
  CallerValue,
  OtherPolicy,
  RelatedRecords,
  TenantValue,
  type TypedCallerValue,
} from '../../asking/policies/callers-type.ts'
import { callersValue } from '../../asking/policies/placeholders.ts'
import type { TableExpression } from '../../asking/policies/rights.ts'
import { callerIn } from '../../model/callers.ts'
import type { Resource } from '../../model/model.ts'
import type { QueryContext } from '../context.ts'
import type { RowsColumn } from '../dialect/dialect.ts'
import { rowId } from '../text/member-id-sql.ts'
import { column, join, RequestSlot, type Sql, sqlOfNode } from '../text/sql-text.ts'
import { storedRows } from '../text/stored-rows.ts'
import { ofTenant, tenantSlot } from './of-tenant.ts'

/** What a statement makes of the placeholders that expressions of a kind have, besides values of the caller. */
export interface Placeholders {
  readonly otherPolicy?: (other: OtherPolicy, id: OtherId, alias: string) => Sql
  /** The records as a query in parentheses. `alias`: of the row that they are related to. */
  readonly related?: (records: RelatedRecords, alias: string) => Sql
}

/** The id of the record that another resource's policy is asked about. */
export interface OtherId {
  readonly sql: Sql
  /** Inside of a query of the other table, its names could mean something else: that table may have such a column, or
   * go by such a name. */
  readonly isAmbiguous: boolean
}

/** The row that an expression is about. */
export interface ExpressionRow {
  readonly resource: Resource
  /** How the statement names the row. */
  readonly alias: string
  /** A query of the row; undefined for a stored one. */
  readonly row: Sql | undefined
}

/** An expression in a statement. */
export interface PlacedExpression {
  readonly value: Sql
  /** `from …`: the query of the row under the name of its table, inside of which the value has to stand; undefined: it
   * stands anywhere. */
  readonly from: Sql | undefined
}

/** Puts an expression over a resource's table into a statement, where the row goes by an alias. */
export function placeExpression(
  context: QueryContext,
  { resource, alias, row }: ExpressionRow,
  { expression, hasText, names }: TableExpression,
  placeholders: Placeholders,
): PlacedExpression {
  const keepsNames = hasText || names.has(alias)
  const placing = new Placing(context, resource, alias, keepsNames, placeholders)
  const value = sql`(${sqlOfNode(placing.transformNode(expression))})`
  if (!keepsNames) return { value, from: undefined }
  // Its text may name the table, or a subquery may call another table by the alias. So the row goes by its table's
  // name.
  const query = row ?? rowQuery(context, resource, alias)
  return { value, from: sql`from (${query}) as ${sql.id(resource.table)}` }
}

const ROW = 'crud_row'

/** Without an id, the row can only be put together again, from the columns that the model knows. */
function rowQuery(context: QueryContext, resource: Resource, alias: string): Sql {
  if (resource.hasId) {
    const isRow = sql`${rowId(resource, ROW)} = ${rowId(resource, alias)}`
    return sql`select * ${storedRows(context, resource, ROW).from(isRow)}`
  }
  return sql`select ${join(resource.members.map((member) => sql`${column(alias, member.column)} as ${sql.id(member.column)}`))}`
}

/** A parameter that is read from the caller of each request. */
export function callersSlot(
  { dialect }: QueryContext,
  type: CallersType | 'boolean',
  read: (caller: unknown) => unknown,
): Sql {
  const ofRequest = (requestContext: unknown) => dialect.encodeValue(read(callerIn(requestContext)), OF_CALLER)
  return dialect.ofCaller(sql`${new RequestSlot(ofRequest)}`, type === 'boolean' ? BOOLEAN : type)
}

/** A value of the caller is encoded like one of this kind. */
const OF_CALLER: Pick<RowsColumn, 'storage'> = { storage: 'string' }

const BOOLEAN = { name: 'boolean', isOfColumn: false } as const

/** A value of another type is null here: where it is part of a policy, the whole policy is false. */
function callersValueSql(context: QueryContext, value: TypedCallerValue): Sql {
  const { type } = value
  return callersSlot(context, type, (caller) => {
    const given = callersValue(caller, value) ?? null
    return type.name === 'id' && given !== null ? type.kind.fromCaller(given) : given
  })
}

class Placing extends OperationNodeTransformer {
  readonly #context: QueryContext
  readonly #resource: Resource
  readonly #alias: string
  readonly #keepsNames: boolean
  readonly #placeholders: Placeholders
  /** The names of tables in the subqueries around the current node. */
  readonly #inner: ReadonlySet<string>[] = []

  constructor(
    context: QueryContext,
    resource: Resource,
    alias: string,
    keepsNames: boolean,
    placeholders: Placeholders,
  ) {
    super()
    this.#context = context
    this.#resource = resource
    this.#alias = alias
    this.#keepsNames = keepsNames
    this.#placeholders = placeholders
  }

  protected override transformReference(node: ReferenceNode): ReferenceNode {
    return this.#isOfRow(node.table) ? { ...node, table: TableNode.create(this.#alias) } : node
  }

  /** Without a table's name, a column in a subquery is one of the subquery's own. */
  #isOfRow(table: TableNode | undefined): boolean {
    if (this.#keepsNames) return false
    if (table === undefined) return this.#inner.length === 0
    const { schema, identifier } = table.table
    const isNamed = schema === undefined && identifier.name === this.#resource.table
    return isNamed && !this.#inner.some((names) => names.has(identifier.name))
  }

  protected override transformSelectQuery(node: SelectQueryNode): SelectQueryNode {
    const froms = [...(node.from?.froms ?? []), ...(node.joins ?? []).map(({ table }) => table)]
    this.#inner.push(new Set(froms.flatMap(nameOf)))
    const placed = super.transformSelectQuery(node)
    this.#inner.pop()
    return ofTenant(this.#context, placed)
  }

  /** Constants become part of the text. A prepared statement takes all its parameters from slots. */
  protected override transformValue(node: ValueNode): ValueNode {
    const { value } = node
    if (value instanceof CallerValue) return this.#nodeOf(callersValueSql(this.#context, value as TypedCallerValue))
    if (value instanceof TenantValue) return this.#nodeOf(this.#tenant())
    const { otherPolicy, related } = this.#placeholders
    if (value instanceof OtherPolicy && otherPolicy !== undefined) {
      const id = this.transformNode(value.id)
      const isOfRow = ReferenceNode.is(id) && id.table?.table.identifier.name === this.#alias
      const isAmbiguous = !ValueNode.is(id) && !isOfRow
      return this.#nodeOf(otherPolicy(value, { sql: sqlOfNode(id), isAmbiguous }, `${this.#alias}p`))
    }
    if (value instanceof RelatedRecords && related !== undefined) return this.#nodeOf(related(value, this.#alias))
    return ValueNode.createImmediate(value)
  }

  /** Among the rows of all tenants, that of the row. */
  #tenant(): Sql {
    const { tenants, reach } = this.#context
    const { tenant } = this.#resource
    if (reach !== 'one tenant' && tenant !== undefined) return column(this.#alias, tenant.column)
    return tenants === undefined ? sql`null` : tenantSlot(this.#context, tenants)
  }

  #nodeOf(part: Sql): ValueNode {
    // A statement's compiler takes any node where a value stands.
    return part.toOperationNode() as OperationNode as ValueNode
  }

  protected override transformPrimitiveValueList({ values }: PrimitiveValueListNode): PrimitiveValueListNode {
    const list = ValueListNode.create(values.map((value) => ValueNode.createImmediate(value)))
    return list as OperationNode as PrimitiveValueListNode
  }
}

/** How a subquery names one of its tables. */
function nameOf(table: OperationNode): string[] {
  const { alias, table: named } = table as { alias?: { name?: string }; table?: TableNode['table'] }
  const name = alias?.name ?? named?.identifier.name
  return name === undefined ? [] : [name]
}
