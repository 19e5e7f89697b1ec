/**
 * A value that is there at once, or a promise of it where something has to be waited for. SQLite answers within the call: a promise for it
 * would cost a request more than its statement.
 */
export type PromiseOrValue<Value> = Promise<Value> | Value

/** Goes on with a value as soon as it is there. Throws or rejects as what gives the value and what goes on with it do. */
export function andThen<Value, Next>(
  value: PromiseOrValue<Value>,
  next: (value: Value) => PromiseOrValue<Next>,
): PromiseOrValue<Next> {
  return value instanceof Promise ? value.then(next) : next(value)
}

/** Does work. Where it fails, at once or later, what `rescue` makes of the error is the result. */
export function orElse<Value>(
  work: () => PromiseOrValue<Value>,
  rescue: (error: unknown) => PromiseOrValue<Value>,
): PromiseOrValue<Value> {
  try {
    const value = work()
    return value instanceof Promise ? value.catch(rescue) : value
  } catch (error) {
    return rescue(error)
  }
}
