/**
 * What is there at once where nothing has to be waited for, and a promise where something has. SQLite runs within the
 * process: what a write costs there is to wait nevertheless.
 */
export type PromiseOrValue<Value> = Promise<Value> | Value

/** Goes on with a value as soon as it is there. To fail is to throw or to reject, for all that gives one or the other. */
export function andThen<Value, Next>(
  value: PromiseOrValue<Value>,
  next: (value: Value) => PromiseOrValue<Next>,
): PromiseOrValue<Next> {
  return value instanceof Promise ? value.then(next) : next(value)
}

/** What is there at once, where nothing may be waited for: others would have their turn in a transaction that is not theirs. */
export function atOnce<Value>(value: PromiseOrValue<Value>): Value {
  if (value instanceof Promise) throw new TypeError('what asks the database itself must not wait')
  return value
}

/** Does work, and something else if it throws or rejects. */
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

/** Does work that may throw, as a promise that is rejected then. */
export async function promised<Value>(work: () => PromiseOrValue<Value>): Promise<Value> {
  return work()
}

/** Does work for each item, for one when that for the one before it is done. */
export function forEachInTurn<Item>(
  items: readonly Item[],
  work: (item: Item, index: number) => PromiseOrValue<unknown>,
): PromiseOrValue<void> {
  for (let index = 0; index < items.length; index++) {
    const done = work(items[index] as Item, index)
    if (done instanceof Promise) return waitForEach(items, work, index, done)
  }
}

/** The work for that item is under way. */
async function waitForEach<Item>(
  items: readonly Item[],
  work: (item: Item, index: number) => PromiseOrValue<unknown>,
  current: number,
  done: Promise<unknown>,
): Promise<void> {
  await done
  for (let index = current + 1; index < items.length; index++) await work(items[index] as Item, index)
}
