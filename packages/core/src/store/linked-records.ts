import type { Address } from '../model/address.ts'
import { linkedPath, linkNamed } from '../model/collection-path.ts'
import type { Id } from '../model/ids/id-kind.ts'
import { wholeId } from '../model/ids/short-id.ts'
import { checkedId, checkedTarget } from './checks/check-ids.ts'
import type { JsonStore } from './json-store.ts'
import type { Asked } from './types/asked.ts'
import type { DryRun, WriteOptions } from './types/write-options.ts'

/** Reads the options of a write. */
type TermsOf = (method: string, options: WriteOptions | DryRun | undefined) => Asked

/** The untyped methods for the records that one record is linked to. `list`: the one of a collection at their address. */
export function linkedRecords(
  store: JsonStore,
  termsOf: TermsOf,
  at: Address,
  id: Id,
  relation: string,
  listAt: (linked: Address) => unknown,
): object {
  const { resource } = at.path
  const link = linkNamed(resource, relation)
  const whole = wholeId(resource, id, at.owners.at(-1))
  const change = (method: string, isRemoved: boolean) => async (to: Id, options?: WriteOptions | DryRun) => {
    const asked = termsOf(method, options)
    checkedId(at, id)
    const plan = await store.changeLink(at, whole, { link, to: checkedTarget(at, link, to), isRemoved }, asked)
    return plan && { plan }
  }
  const list = listAt({ path: linkedPath(at.path, relation), owners: [...at.owners, whole] })
  return { list, add: change('add', false), remove: change('remove', true) }
}
