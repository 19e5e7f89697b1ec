/** Makes something once for each object, and keeps it as long as the object lives. */
export function onceFor<On extends object, Made extends object | string | number | boolean>(
  make: (on: On) => Made,
): (on: On) => Made {
  const kept = new WeakMap<On, Made>()
  return (on) => {
    let made = kept.get(on)
    if (made === undefined) {
      made = make(on)
      kept.set(on, made)
    }
    return made
  }
}
