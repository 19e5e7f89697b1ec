import { expressionBuilder } from 'kysely'
import { allRelationsOf } from '../../model/all-relations-of.ts'
import { didYouMean } from '../../model/check/suggest.ts'
import type { Computed, ComputedValue } from '../../model/model.ts'
import { my, nodeOf, placeholder } from './build-expression.ts'
import { resourcesAround, tablesOf } from './columns-of-tables.ts'
import { hasText } from './has-text.ts'
import { namesIn } from './names-in.ts'
import { RelatedRecords, type TypedCallerValue } from './placeholders.ts'
import type { TableExpression } from './rights.ts'
import { typeCallersValues } from './type-callers-values.ts'

/** The expression of a computed field, over its resource's table. */
export interface ComputedExpression extends TableExpression {
  /** The caller's values that it asks for. */
  readonly values: readonly TypedCallerValue[]
}

const built = new WeakMap<Computed, ComputedExpression>()

/** Calls the function of the descriptor, once for each computed field of a model. Throws a TypeError if it returns no expression. */
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
  const hint = didYouMean(
    String(name),
    all.map((one) => one.name),
  )
  throw new TypeError(`${source.key} has no relation '${String(name)}'${hint}`)
}
