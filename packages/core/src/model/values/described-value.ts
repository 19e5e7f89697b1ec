import type { Fault } from '../../errors.ts'
import type { JsonSchema } from '../descriptors/json-schema.ts'

/**
 * How a value is stored. For each kind, the dialects say how a parameter carries it and how it becomes JSON. `'bytes'` are base64 in
 * bodies and answers.
 */
export type StorageKind = 'string' | 'date' | 'bytes' | 'integer' | 'number' | 'boolean' | 'json'

/** A value that a record shows and a schema describes: what fields and computed fields have in common. */
export interface DescribedValue {
  readonly name: string
  /** The property of a record that has its value: the name. */
  readonly property: string
  readonly schema: JsonSchema
  readonly storage: StorageKind
  /** Whether it may be null. */
  readonly nullable: boolean
  /** No body may set it. PUT ignores it, so that what GET returned can be sent back. */
  readonly readOnly: boolean
  /** No answer shows it. PUT leaves it as it is where the body does not name it. */
  readonly writeOnly: boolean
  /** Whether other records show it where they show this one, but do not own it. */
  readonly inSummary: boolean
  /** Which callers may see and set it; undefined: all of them. The three flags above hold for everybody. */
  readonly access: FieldAccess | undefined
  /** Lists what is wrong with a value that is not null. */
  check(value: unknown): readonly ValueProblem[]
}

/** The roles of which a caller has to have one; undefined: every caller may. */
export interface FieldAccess {
  readonly View: readonly string[] | undefined
  readonly Edit: readonly string[] | undefined
}

/** What is wrong with a value, and where in it: a JSON pointer, `''` for the value itself. */
export interface ValueProblem extends Fault {
  readonly at: string
}
