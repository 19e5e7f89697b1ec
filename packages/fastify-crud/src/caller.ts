/** Who is asking, as the application says. Throws a TypeError unless that is an object. It is frozen, so no request changes it. */
export function checkedCaller(caller: unknown): object {
  if (typeof caller !== 'object' || caller === null) {
    throw new TypeError(
      'the option `caller` must return an object, such as { id: 7 }; throw an error to refuse a request',
    )
  }
  return Object.freeze(caller)
}
