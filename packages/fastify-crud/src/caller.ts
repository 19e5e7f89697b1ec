/** What the application says who is asking, if that is an object. It stays the same as long as the request lasts. */
export function checkedCaller(caller: unknown): object {
  if (typeof caller !== 'object' || caller === null) {
    throw new TypeError(
      'the option `caller` must return an object, such as { id: 7 }; throw an error to refuse a request',
    )
  }
  return Object.freeze(caller)
}
