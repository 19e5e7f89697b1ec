import { type RefModel, type RefOwns, type RefResource, resourceOf } from './reference-model.ts'

/** A path: the owners from the outermost one, then the collection or record that is meant. */
export interface Address {
  readonly owners: readonly { readonly segment: string; readonly id: PathId }[]
  readonly segment: string
  readonly id: PathId | undefined
}

/** A record's id, or text in the place of one. */
export type PathId = number | string

/** The resource that a path names; throws if no route is there, which no request of a test should try. */
export function resourceAt(model: RefModel, { owners, segment }: Pick<Address, 'owners' | 'segment'>): RefResource {
  const [first = segment, ...rest] = [...owners.map((owner) => owner.segment), segment]
  return rest.reduce((resource, next) => resourceOf(model, ownsAt(resource, next).target), rootAt(model, first))
}

export function rootAt(model: RefModel, segment: string): RefResource {
  const root = [...model.resources.values()].find(({ isRoot, isTop, route }) => (isRoot || isTop) && route === segment)
  if (root === undefined) throw new Error(`no route ${segment}`)
  return root
}

/** Whether it is the path of records with owners that does not name these. */
export function isAtTop(model: RefModel, address: Pick<Address, 'owners' | 'segment'>): boolean {
  return address.owners.length === 0 && resourceAt(model, address).isTop
}

export function ownsAt(resource: RefResource, segment: string): RefOwns {
  const owns = resource.owns.find((one) => one.segment === segment)
  if (owns === undefined) throw new Error(`${resource.key} owns nothing at ${segment}`)
  return owns
}

export function isPathId(id: PathId): boolean {
  return /^(0|-?[1-9]\d*)$/.test(String(id))
}

/** The part of a list that a query asks for; undefined if it is not valid. */
export function pageOf(query: Readonly<Record<string, string>>): { limit: number; offset: number } | undefined {
  const { limit = '20', offset = '0', ...others } = query
  const good = isPathId(limit) && isPathId(offset) && Number(offset) >= 0 && Number(limit) >= 1 && Number(limit) <= 100
  return good && Object.keys(others).length === 0 ? { limit: Number(limit), offset: Number(offset) } : undefined
}
