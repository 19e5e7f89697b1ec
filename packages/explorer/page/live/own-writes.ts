import type { ModelDocument } from '../model/model.ts'
import { sameId, spotAt } from '../model/names.ts'

/** A request of this page that writes: the service tells of it like of any other. */
interface OwnWrite {
  readonly path: string
  readonly at: number
}

/** So long, in milliseconds, a write waits for the service to tell of it. */
const LASTS = 10_000

let writes: readonly OwnWrite[] = []

/** Expects the service to tell of a write. The function that it returns takes that back: the write was refused. */
export function noteOwnWrite(path: string): () => void {
  const write = { path, at: Date.now() }
  writes = [...writes, write]
  return () => {
    writes = writes.filter((one) => one !== write)
  }
}

/** Whether it is this page that has written that. Of two writes of one record, either is: both are read again. */
export function isOwnWrite(
  model: ModelDocument,
  { resource, id }: { readonly resource?: string | undefined; readonly id?: unknown },
): boolean {
  const [first] = writes.filter(({ path, at }) => {
    const spot = spotAt(model, path.split(/\/\$|\?/)[0] ?? '')
    const isSame = resource === undefined ? spot === undefined : spot?.resource === resource
    return Date.now() - at < LASTS && isSame && (id === undefined || spot?.id === undefined || sameId(spot.id, id))
  })
  writes = writes.filter((one) => one !== first && Date.now() - one.at < LASTS)
  return first !== undefined
}
