import {
  AndNode,
  type BinaryOperationNode,
  type Expression,
  ExpressionWrapper,
  expressionBuilder,
  type OperationNode,
  OperationNodeTransformer,
  OperatorNode,
  ParensNode,
  RawNode,
  type SelectQueryNode,
  TupleNode,
  ValueListNode,
  ValueNode,
} from 'kysely'
import type { CallersTypeName } from '../../model/callers.ts'
import { didYouMean } from '../../model/check/names.ts'
import { type Computed, type ComputedValue, type Model, type Resource, resourceOf } from '../../model/model.ts'
import { allRelationsOf } from '../../model/resource-tree.ts'
import type { CallersType } from './callers-type.ts'
import {
  CallerValue,
  declaredType,
  OTHER_ACTIONS,
  type OtherAction,
  OtherPolicy,
  RelatedRecords,
  TenantValue,
  type TypedCallerValue,
  typeOfIds,
} from './callers-type.ts'
import { ColumnsInSight } from './columns-in-sight.ts'
import type { Tables } from './columns-of-tables.ts'
import { hasText, namesIn, resourcesAround, tablesIn, tablesOf } from './columns-of-tables.ts'
import type { TableExpression } from './rights.ts'

/** The expression of a computed field, over its resource's table. */
interface ComputedExpression extends TableExpression {
  /** The caller's values that it asks for. */
  readonly values: readonly TypedCallerValue[]
}

const built = new WeakMap<Computed, ComputedExpression>()

/** Calls the function of the descriptor, once for each computed field of a model. Throws a TypeError if it returns no
 * expression. */
export function computedExpression(
  computed: Computed,
  { build }: Extract<ComputedValue, { kind: 'expression' }>,
): ComputedExpression {
  const known = built.get(computed)
  if (known !== undefined) return known
  const { source } = computed
  const returned = build({
    eb: expressionBuilder(),
    my,
    related: (name: unknown) => recordsOf(computed, name, false),
    visible: (name: unknown) => recordsOf(computed, name, true),
  })
  const untyped = nodeOf(returned, "'value' must return an expression of Kysely's, such as eb('price', '*', 2)")
  const { expression, values } = typeCallersValues(untyped, source, () => tablesOf(resourcesAround(source)))
  const made = { expression, hasText: hasText(expression), names: namesIn(expression), values }
  built.set(computed, made)
  return made
}

function recordsOf({ source }: Computed, name: unknown, isVisible: boolean) {
  const all = allRelationsOf(source)
  const relation = all.find((one) => one.name === name)
  if (relation !== undefined) return placeholder(new RelatedRecords(relation, isVisible))
  throw new TypeError(`${source.key} has no relation '${String(name)}'${didYouMean(String(name), all)}`)
}

/** What a policy's function is given. Its types for applications are those of `PolicyBuilder`. */
interface Builder {
  readonly eb: unknown
  readonly my: My
  can(action: OtherAction, resource: string, id: Expression<unknown>): Expression<unknown>
}

interface My {
  (name: string, type?: CallersTypeName): Expression<unknown>
  /** The id of the tenant who asks. */
  readonly tenant: Expression<unknown>
}

interface Built {
  readonly expression: OperationNode
  /** The caller's values that it asks for. */
  readonly values: readonly TypedCallerValue[]
  /** The resources whose policies it asks for. */
  readonly others: readonly Resource[]
}

/** Calls a policy's function. Throws a TypeError if it returns no expression. */
export function buildExpression(model: Model, resource: Resource, policy: (on: Builder) => unknown): Built {
  const others: Resource[] = []
  const built = policy({
    eb: expressionBuilder(),
    my,
    can(action, key, id) {
      if (!OTHER_ACTIONS.includes(action)) throw new TypeError(`can() needs one of ${OTHER_ACTIONS.join(', ')}`)
      if (!isExpression(id))
        throw new TypeError("can() needs the record's id as an expression, such as eb.ref('projectId')")
      const other = resourceOf(model, key)
      others.push(other)
      return placeholder(new OtherPolicy(action, other, id.toOperationNode(), typeOfIds(other.id)))
    },
  })
  const expression = nodeOf(built, "must return an expression of Kysely's, such as eb('orgId', '=', my('org'))")
  return { ...typeCallersValues(expression, resource, () => tablesIn(model)), others }
}

function callersPlaceholder(name: unknown, type?: unknown): Expression<unknown> {
  if (typeof name !== 'string' || name === '') throw new TypeError('my() needs the name of a value of the caller')
  return placeholder(new CallerValue(name, type === undefined ? undefined : declaredType(type)))
}

/** `my(…)` */
export const my: My = Object.freeze(Object.assign(callersPlaceholder, { tenant: placeholder(new TenantValue()) }))

export function placeholder(value: CallerValue | OtherPolicy | RelatedRecords | TenantValue): Expression<unknown> {
  return new ExpressionWrapper(ValueNode.create(value))
}

/** What a function has returned. Throws a TypeError with the message if it is no expression. */
export function nodeOf(built: unknown, message: string): OperationNode {
  if (!isExpression(built)) throw new TypeError(message)
  return built.toOperationNode()
}

function isExpression(value: unknown): value is Expression<unknown> {
  return typeof (value as Partial<Expression<unknown>> | undefined | null)?.toOperationNode === 'function'
}

/** An expression in which each value of the caller has a type. */
interface TypedExpression {
  readonly expression: OperationNode
  readonly values: readonly TypedCallerValue[]
}

/**
 * Gives each value of the caller the type of the column beside it: of the one that it is compared with. `tables`: those
 * that the expression may name. Throws a TypeError that lists the values for which there is no such column and no
 * declared type.
 */
function typeCallersValues(expression: OperationNode, resource: Resource, tables: () => Tables): TypedExpression {
  const typing = new Typing(resource, tables)
  const typed = typing.transformNode(expression)
  if (typing.problems.size > 0) throw new TypeError([...typing.problems].join('; '))
  return { expression: typed, values: typing.values }
}

class Typing extends OperationNodeTransformer {
  readonly values: TypedCallerValue[] = []
  readonly problems = new Set<string>()
  readonly #resource: Resource
  readonly #sight: ColumnsInSight
  /** The types of values that are about to be reached. */
  readonly #types = new Map<OperationNode, CallersType>()

  constructor(resource: Resource, tables: () => Tables) {
    super()
    this.#resource = resource
    this.#sight = new ColumnsInSight(resource, tables)
  }

  protected override transformSelectQuery(node: SelectQueryNode): SelectQueryNode {
    return this.#sight.inside(node, () => super.transformSelectQuery(node))
  }

  protected override transformBinaryOperation(node: BinaryOperationNode): BinaryOperationNode {
    const { leftOperand, operator, rightOperand } = node
    if (isIn(operator) && callersValueIn(rightOperand) !== undefined) {
      const { name } = callersValueIn(rightOperand) as CallerValue
      this.problems.add(
        `my('${name}') is a single value, not a list: compare it by '=', or select the list in a subquery`,
      )
    }
    this.#compare(leftOperand, rightOperand)
    return super.transformBinaryOperation(node)
  }

  protected override transformValue(node: ValueNode): ValueNode {
    const { value } = node
    if (value instanceof OtherPolicy) return ValueNode.create(this.#typedOther(value))
    if (!(value instanceof CallerValue)) return node
    const beside = this.#types.get(node)
    // The same value may be elsewhere, too, where no column is beside it.
    this.#types.delete(node)
    return ValueNode.create(this.#typed(value, beside))
  }

  #typed({ name, type: declared }: CallerValue, beside: CallersType | undefined): CallerValue {
    if (declared !== undefined && beside !== undefined && declared.name !== beside.name && !isIdOf(beside, declared)) {
      this.problems.add(`my('${name}', '${declared.name}') is compared with a column that holds ${beside.inWords}`)
    }
    const type = beside ?? declared
    if (type === undefined) {
      const example = `my('${name}', 'integer')`
      this.problems.add(
        `my('${name}') is not compared with a column of ${this.#resource.key} or of another table in the model, so it needs its type: ${example}`,
      )
      return new CallerValue(name, undefined)
    }
    this.values.push({ name, type })
    return new CallerValue(name, type)
  }

  #typedOther({ action, resource, id, idType }: OtherPolicy): OtherPolicy {
    this.#give(id, () => idType)
    return new OtherPolicy(action, resource, this.transformNode(id), idType)
  }

  /** What is compared has one type. */
  #compare(left: OperationNode, right: OperationNode): void {
    const [a, b] = [inside(left), inside(right)]
    if (TupleNode.is(a) && TupleNode.is(b)) {
      a.values.forEach((one, index) => {
        const other = b.values[index]
        if (other !== undefined) this.#compare(one, other)
      })
      return
    }
    for (const one of partsOf(b)) {
      if (TupleNode.is(a)) this.#compare(a, one)
      else this.#give(one, () => this.#sight.typeOf(a))
    }
    this.#give(a, () => this.#sight.typeOf(b))
  }

  #give(node: OperationNode, typeOf: () => CallersType | undefined): void {
    const value = inside(node)
    const type = callersValueIn(value) && typeOf()
    if (type !== undefined) this.#types.set(value, type)
  }
}

/** What is not a value between values: a list of them, or the two of BETWEEN. */
function partsOf(node: OperationNode): readonly OperationNode[] {
  if (ValueListNode.is(node)) return node.values.map(inside)
  return AndNode.is(node) ? [inside(node.left), inside(node.right)] : [node]
}

/** Without parentheses, and without what `eb.val` and `sql.ref` put around a node. */
function inside(node: OperationNode): OperationNode {
  if (ParensNode.is(node)) return inside(node.node)
  const [only, ...others] = RawNode.is(node) ? node.parameters : []
  const isWrapped = RawNode.is(node) && only !== undefined && others.length === 0 && node.sqlFragments.join('') === ''
  return isWrapped ? inside(only) : node
}

function callersValueIn(node: OperationNode): CallerValue | undefined {
  const value = inside(node)
  return ValueNode.is(value) && value.value instanceof CallerValue ? value.value : undefined
}

function isIn(operator: OperationNode): boolean {
  return OperatorNode.is(operator) && (operator.operator === 'in' || operator.operator === 'not in')
}

/** Whether a declared type is that of ids of the kind. */
function isIdOf(beside: CallersType, declared: CallersType): boolean {
  return beside.name === 'id' && beside.kind.schema.type === declared.name
}
