import { type Comparator, type Comparison, type Condition, operandShape } from '../../asking/condition.ts'
import type { Operand } from '../../asking/operand.ts'

/**
 * A condition on a row in two parts, both of which must hold. The lower case of a long text takes longer than all else
 * in a condition, so where several comparisons need that of one value, it is made once for each row.
 */
export interface LoweredOnce {
  /** The values whose lower case several comparisons need, by {@link operandShape}. */
  readonly operands: ReadonlyMap<string, Operand>
  /** What needs one of them. */
  readonly withThem: readonly Condition[]
  /** All else: the database may find the rows by it. */
  readonly others: readonly Condition[]
}

export function loweredOnce(condition: Condition): LoweredOnce {
  const operands = loweredTwice(condition)
  const parts = operands.size === 0 ? [condition] : conjuncts(condition)
  const needsOne = (part: Condition) =>
    ofRow(part).some((one) => isLowered(one) && operands.has(operandShape(one.operand)))
  return { operands, withThem: parts.filter(needsOne), others: parts.filter((part) => !needsOne(part)) }
}

export function isLowered({ comparator }: Comparison): boolean {
  return LOWERED.includes(comparator)
}

const LOWERED: readonly Comparator[] = ['icontains', 'istartsWith', 'iendsWith']

function loweredTwice(condition: Condition): ReadonlyMap<string, Operand> {
  const once = new Set<string>()
  const twice = new Map<string, Operand>()
  for (const one of ofRow(condition)) {
    if (!isLowered(one)) continue
    const shape = operandShape(one.operand)
    if (once.has(shape)) twice.set(shape, one.operand)
    once.add(shape)
  }
  return twice
}

/** The comparisons of the row itself, without those of related records. */
function ofRow(condition: Condition): readonly Comparison[] {
  switch (condition.kind) {
    case 'all':
    case 'any':
      return condition.conditions.flatMap(ofRow)
    case 'not':
      return ofRow(condition.condition)
    case 'some':
    case 'union':
      return []
    case 'compare':
      return [condition]
  }
}

/** Conditions all of which must hold, none of which is several such. */
function conjuncts(condition: Condition): readonly Condition[] {
  return condition.kind === 'all' ? condition.conditions.flatMap(conjuncts) : [condition]
}
