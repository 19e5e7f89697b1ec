import type { Action } from '../../src/access/authorize.ts'
import type { CrudOptions } from '../../src/options.ts'

/** Somebody who sends requests, with what they may do. */
export interface Caller<Org extends string = string> {
  readonly name: string
  /** Whom they write for: it stands in the marks of what they write. */
  readonly org: Org
  readonly roles: readonly string[]
  readonly rights: Rights
  /** The application takes its time when it is asked about them. */
  readonly isSlow: boolean
}

/** The actions on records of a resource, by its key; `others`: on those of all resources that are not named. */
export interface Rights {
  readonly [resource: string]: readonly Action[]
  readonly others: readonly Action[]
}

const HEADER = 'x-caller'

/** The headers by which the service knows them. */
export function headersOf({ name }: Caller): Record<string, string> {
  return { [HEADER]: name }
}

/** The options of the plugin that give the callers their rights. */
export function accessOptions(callers: readonly Caller[]): Pick<CrudOptions, 'caller' | 'authorize'> {
  return {
    caller({ headers }) {
      const found = callers.find(({ name }) => name === headers[HEADER])
      if (found === undefined) throw new Error(`there is no caller '${headers[HEADER]}'`)
      return { ...found }
    },
    authorize(_request, { action, resource, caller }) {
      const asking = caller as Caller
      const answer = mayDo(asking, action, resource)
      return asking.isSlow ? Promise.resolve(answer) : answer
    },
  }
}

/** Whether they may do such a thing at all. */
export function mayDo({ rights }: Caller, action: Action, resource: string): boolean {
  return (rights[resource] ?? rights.others).includes(action)
}
