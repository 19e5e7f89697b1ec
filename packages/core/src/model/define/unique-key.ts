import type { KeyCondition, UniqueKey } from '../model.ts'

export function uniqueKey(
  names: readonly string[],
  members: UniqueKey['members'],
  where: readonly KeyCondition[] = [],
): UniqueKey {
  const others = where.map(({ member }) => member).filter((member) => !members.includes(member))
  return { names: [...names], members, where, dependsOn: [...members, ...others] }
}
