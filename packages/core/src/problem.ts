/** What is wrong, for people and for programs. */
export interface Fault {
  readonly message: string
  /** The kind of fault: a keyword of JSON Schema such as `minLength`, or one of the library's own such as
   * `reference`. */
  readonly keyword?: string
  /** What the keyword says of it, such as `{ limit: 1 }`: all that a client needs to say it in other words. */
  readonly params?: Readonly<Record<string, unknown>>
}

/** One thing that is wrong with the body of a request. */
export interface BodyProblem extends Fault {
  /** JSON pointer (RFC 6901) into the request's body; `''` is the body itself. */
  readonly pointer: string
  readonly parameter?: never
}

/** One thing that is wrong with the query, the path or a header of a request. */
export interface ParameterProblem extends Fault {
  /** The name of the parameter: `sort`, `filter[price][gte]`, `id`, `If-Match`. */
  readonly parameter: string
  readonly pointer?: never
  /** Where in the parameter, as a JSON pointer; only for requests whose parameters are a body. */
  readonly within?: string
}

/**
 * One thing that is wrong with a request, and where: `pointer` leads into its body, `parameter` names what else it is.
 *
 * @example
 * const { errors } = await store.book.list({ sort: ['titel'] }).catch((error) => error)
 * errors.map(({ pointer, parameter }) => pointer ?? parameter) // ['sort']
 */
export type Problem = BodyProblem | ParameterProblem

/** Visible records that need another one, because of which it cannot be removed. */
export interface Blocker {
  /** The key of their resource. */
  readonly resource: string
  /** The relation through which they need it. */
  readonly relation: string
  readonly count: number
}

/** A property's name as a JSON pointer (RFC 6901) has it. */
export function pointerStep(name: string): string {
  if (!name.includes('~') && !name.includes('/')) return name
  return name.replaceAll('~', '~0').replaceAll('/', '~1')
}
