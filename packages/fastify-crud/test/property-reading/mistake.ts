import type { JsonObject } from '../property/json.ts'
import type { Tape } from '../property/tape.ts'
import { textOfPairs } from './query-text.ts'
import type { ReadingModel, ReadingResource } from './reading-model.ts'
import { typeOf, type ValueType } from './value-types.ts'

/** A query with one mistake. */
export interface BrokenQuery {
  /** As it stands in a URL. */
  readonly text: string
  /** What the refusal has to name; undefined where there is no name. */
  readonly names: string | undefined
}

/** Something that a client may do wrong. Undefined if the resource has nothing to do it with. */
export type Mistake = (resource: ReadingResource, tape: Tape, model: ReadingModel) => BrokenQuery | undefined

export function inJson(filter: JsonObject, names?: string): BrokenQuery {
  return { text: textOfPairs([['filter', JSON.stringify(filter)]]), names }
}

export function inBrackets(key: string, value: string, names?: string): BrokenQuery {
  return { text: textOfPairs([[key, value]]), names }
}

/** A field of one of the types, or any; the id if there is none. */
export function fieldOf({ fields }: ReadingResource, tape: Tape, types?: readonly ValueType[]): string {
  const possible = fields.filter(({ schema }) => types === undefined || types.includes(typeOf(schema)))
  return tape.of(possible)?.name ?? 'id'
}

export function typeNamed({ fields }: ReadingResource, name: string): ValueType {
  const field = fields.find((one) => one.name === name)
  return field === undefined ? 'id' : typeOf(field.schema)
}
