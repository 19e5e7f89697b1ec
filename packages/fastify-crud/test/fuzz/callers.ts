import type { Action, Authorize } from '../../src/options.ts'

/** Somebody who sends requests, with what they may do. */
export interface Caller {
  readonly name: string
  readonly headers: Readonly<Record<string, string>>
  readonly actions: readonly Action[]
}

/** Most requests are those of somebody who may do everything: what is refused at the door finds little. */
export const CALLERS: readonly Caller[] = [
  ...Array.from({ length: 8 }, () => caller('keeper', ['View', 'Add', 'Edit', 'Delete'])),
  caller('visitor', ['View']),
  caller('nobody', []),
]

function caller(name: string, actions: readonly Action[]): Caller {
  return { name, headers: { 'x-caller': name }, actions }
}

/** What `authorize` says to these callers. */
export const authorizeCallers: Authorize = ({ headers }, { action }) => {
  const found = CALLERS.find(({ name }) => name === headers['x-caller'])
  return found?.actions.includes(action) === true
}

const ACTION_OF: Readonly<Record<string, Action>> = {
  GET: 'View',
  HEAD: 'View',
  POST: 'Add',
  PUT: 'Edit',
  PATCH: 'Edit',
  DELETE: 'Delete',
}

/** Whether a request of this method may be done for the caller. */
export function mayDo({ actions }: Caller, method: string): boolean {
  const action = ACTION_OF[method]
  return action !== undefined && actions.includes(action)
}
