import type { AnyKysely } from './dialect/database.ts'

/** Whether two instances compile a statement to the same text: a transaction and the instance that began it, say. */
export function compilesAlike(one: AnyKysely, other: AnyKysely): boolean {
  const [left, right] = [one.getExecutor(), other.getExecutor()]
  if (left.adapter !== right.adapter || left.plugins.length !== right.plugins.length) return false
  return left.plugins.every((plugin, index) => plugin === right.plugins[index])
}
