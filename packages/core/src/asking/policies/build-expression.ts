import { type Expression, ExpressionWrapper, expressionBuilder, type OperationNode, ValueNode } from 'kysely'
import type { CallersTypeName } from '../../model/callers.ts'
import { didYouMean } from '../../model/check/names.ts'
import { type Computed, type ComputedValue, type Model, type Resource, resourceOf } from '../../model/model.ts'
import { allRelationsOf } from '../../model/resource-tree.ts'
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
import { hasText, namesIn, resourcesAround, tablesIn, tablesOf } from './columns-of-tables.ts'
import type { TableExpression } from './rights.ts'
import { typeCallersValues } from './type-callers-values.ts'

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
