import type { JsonSchema } from '../values/schema-facts.ts'

/**
 * Names a record among those of its resource: a number for `integer` ids, else a string. What it looks like is known to
 * the resource's {@link IdKind} alone.
 */
export type Id = number | string

/** What the ids of a resource are: how they are read, checked, ordered and assigned. */
export interface IdKind {
  readonly name: 'integer' | 'bigint' | 'uuid' | 'text' | 'composite'
  /** How columns hold such ids: what tells the SQL of two ids apart. */
  readonly stored: IdStorage
  /** Who gives a new record its id. `members`: its own values make it up. */
  readonly assignedBy: 'database' | 'library' | 'client' | 'members'
  /** The kinds of its parts, in their order; undefined unless there are several. */
  readonly parts?: readonly IdKind[] | undefined
  /** An id for a new record. Undefined unless the library assigns ids. Throws if it makes one that is none. */
  readonly assign: (() => Id) | undefined
  /** What an id is, in words. */
  readonly inWords: string
  /** The id that a JSON value is, in the one form in which ids are compared; undefined if no record can have it. */
  fromJson(value: unknown): Id | undefined
  /** The id that a value of a caller is, which the code of the application gives. */
  fromCaller(value: unknown): Id | undefined
  /** The message about a value in a body that is not an id. */
  readonly problem: string
  /**
   * The id that a path spells; undefined if the text is not one. An id that no record can have names nothing, and is
   * good for a message only: {@link fromJson} tells.
   */
  fromPath(text: string): Id | undefined
  /** Whether a record may have the id in another spelling, which its column chooses: of a UUID or a moment. Undefined:
   * never. */
  isSpelledFreely?(id: Id): boolean
  /** The most characters that a new id has in a path. */
  readonly maxLength: number
  /** The message about a path parameter that is not an id. */
  readonly pathProblem: string
  /** Whether a client may choose the id for a new record. */
  isChoosable(id: Id): boolean
  /** The message about an id that a client may not choose. */
  readonly choiceProblem: string
  /** An order that is the same everywhere: negative if the first comes before the second. */
  compare(first: Id, second: Id): number
  /** One of many ids that no record has, for a moment: until the write that names it is done. */
  unused(number: number): Id
  /** The JSON Schema of an id. */
  readonly schema: JsonSchema & { readonly type: string }
  /** The JSON Schema of an id that a client chooses. */
  readonly chosenSchema: JsonSchema & { readonly type: string }
  /** An id to show in the examples of the documentation. */
  readonly example: Id
}

/**
 * How columns hold ids. UUIDs are in columns of their own type, or in texts that spell them in one of three ways.
 * `value`: as answers spell the value of a field, in a column of any type.
 */
export type IdStorage = 'integer' | 'bigint' | 'text' | 'uuid' | 'uuid, lower' | 'uuid, upper' | 'uuid, hex' | 'value'

/** Whether only an INSERT tells the id that the database gives to its row: a default of the column makes it, and no
 * sequence. */
export function isGivenByInsert({ assignedBy, name }: IdKind): boolean {
  return assignedBy === 'database' && name === 'uuid'
}

/** Whether bodies have the ids of new records: as `id`, or as the members that make it up. */
export function isGivenByClient({ assignedBy }: IdKind): boolean {
  return assignedBy === 'client' || assignedBy === 'members'
}
