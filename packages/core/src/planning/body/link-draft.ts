import type { Id } from '../../model/ids/id-kind.ts'
import type { Link } from '../../model/model.ts'
import { ALL_FIT, type Draft, type Reading } from './draft.ts'
import { pointerTo } from './pointer.ts'

/** One link of a record, which a request adds or removes by its address. */
export interface LinkChange {
  readonly link: Link
  /** The id of the record at the other end. */
  readonly to: Id
  readonly isRemoved: boolean
}

/** A PATCH that says nothing but this. There is no body: problems point to where one would name the record at the other end. */
export function linkDraft({ link, to, isRemoved }: LinkChange, reading: Reading): Draft {
  const { source: resource } = link
  const links = new Array(resource.links.length)
  // An id that no record can have names nothing.
  const isPossible = link.target.id.fromJson(to) !== undefined
  links[link.position] = isPossible ? [{ id: to, pointer: pointerOf(link), isRemoved }] : []
  return {
    resource,
    operation: 'patch',
    reading,
    pointer: '',
    id: undefined,
    isPartial: false,
    unfit: ALL_FIT,
    values: new Array(resource.members.length),
    owned: new Array(resource.owns.length),
    links,
    body: NO_BODY,
  }
}

/** The pointer that problems of a link have, which is one of a body. */
export function pointerOf({ name }: Link): string {
  return pointerTo('', name)
}

const NO_BODY = Object.freeze({})
