import { type Expression, ExpressionWrapper, expressionBuilder, type OperationNode, ValueNode } from 'kysely'
import type { CallersTypeName } from '../../model/callers-types.ts'
import { type Model, type Resource, resourceOf } from '../../model/model.ts'
import { declaredType, typeOfIds } from './callers-type.ts'
import { tablesIn } from './columns-of-tables.ts'
import {
  CallerValue,
  OTHER_ACTIONS,
  type OtherAction,
  OtherPolicy,
  type RelatedRecords,
  TenantValue,
  type TypedCallerValue,
} from './placeholders.ts'
import { typeCallersValues } from './type-callers-values.ts'

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
