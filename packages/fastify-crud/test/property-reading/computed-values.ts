import type { Aggregate } from 'fastify-crud'
import type { Json } from '../property/json.ts'
import type { Row, State } from '../property/reference-store.ts'
import { compareValues } from './compare-values.ts'
import type { ComputedField } from './computed-fields.ts'
import { meaningOf, type Related } from './random-expression.ts'
import { type ReadingModel, readingResourceOf, relationOf } from './reading-model.ts'
import { sumOfValues } from './sum-of-values.ts'
import { typeOf, type ValueType } from './value-types.ts'

/**
 * What a caller sees, each record with what is computed for it. `all` is everything that is stored: a computed field sees it
 * unless it is written with `visible`.
 */
export function withComputedValues(model: ReadingModel, all: State, seen: State): State {
  const rows = [...seen.rows].map(([key, ofResource]): [string, Map<number, Row>] => {
    const resource = readingResourceOf(model, key)
    const { part } = model.idsOf(key)
    if (resource.computed.length === 0 && part === undefined) return [key, ofResource]
    const whole = [...ofResource].map(([id, row]): [number, Row] => {
      const related: Related = (name, isVisible) =>
        relationOf(resource, name)?.follow(isVisible ? seen : all, row) ?? []
      const computed = resource.computed.map((field): [string, Json] => [
        field.name,
        computedValue(field, row, related),
      ])
      const parts = part === undefined ? {} : { [part]: id }
      return [id, { ...row, values: { ...row.values, ...parts, ...Object.fromEntries(computed) } }]
    })
    return [key, new Map(whole)]
  })
  return { ...seen, rows: new Map(rows) }
}

function computedValue({ declaration, schema }: ComputedField, row: Row, related: Related): Json {
  return 'aggregate' in declaration
    ? aggregateOf(declaration, typeOf(schema), related(declaration.relation, declaration.visible))
    : meaningOf(declaration).of(row, related)
}

function aggregateOf({ aggregate, field }: Aggregate, type: ValueType, rows: readonly Row[]): Json {
  if (field === undefined) return rows.length
  const values = rows.map(({ values }) => values[field] ?? null).filter((value) => value !== null)
  if (aggregate === 'sum') return sumOfValues(type, values)
  // Of equal values, an ascending sort has that of the lowest id first, and a descending one that of the highest.
  const [first = null, ...others] = values
  return others.reduce((best, value) => {
    const difference = compareValues(type, value, best)
    return aggregate === 'min' ? (difference < 0 ? value : best) : difference >= 0 ? value : best
  }, first)
}
