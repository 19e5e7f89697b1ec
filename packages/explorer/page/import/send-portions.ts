import type { Row } from '../model/model.ts'
import { ServiceError } from '../service/problem.ts'

export interface ImportLine {
  readonly line: number
  readonly body: Row
}

export interface LineProblem {
  readonly line: number
  readonly message: string
}

/** How an import goes on: what is done, what was refused, what is left. */
export interface ImportState {
  readonly done: number
  readonly problems: readonly LineProblem[]
  readonly left: readonly Portion[]
}

export interface Portion {
  /** Two requests with one key are done once, so a portion without an answer is sent again as it was. */
  readonly key: string
  readonly lines: readonly ImportLine[]
}

/** So many records go in one request. */
const PORTION = 200

export function portionsOf(lines: readonly ImportLine[], newKey: () => string): ImportState {
  const left: Portion[] = []
  for (let start = 0; start < lines.length; start += PORTION)
    left.push({ key: newKey(), lines: lines.slice(start, start + PORTION) })
  return { done: 0, problems: [], left }
}

/**
 * Sends the next portion. If the service refuses it, the faulty lines are taken out, and the others are the next portion.
 *
 * @throws the error of a request without an answer, or one that no line is to blame for: the state is as before.
 */
export async function sendNext(
  state: ImportState,
  send: (portion: Portion) => Promise<unknown>,
  newKey: () => string,
): Promise<ImportState> {
  const [portion, ...others] = state.left
  if (portion === undefined) return state
  const { lines } = portion
  try {
    await send(portion)
    return { ...state, done: state.done + lines.length, left: others }
  } catch (error) {
    if (!(error instanceof ServiceError) || ![400, 403, 404, 409].includes(error.status)) throw error
    const problems = problemsOf(error, lines)
    const faulty = new Set(problems.map(({ line }) => line))
    const rest = lines.filter(({ line }) => !faulty.has(line))
    if (faulty.size > 0) {
      const again = rest.length === 0 ? [] : [{ key: newKey(), lines: rest }]
      return { ...state, problems: [...state.problems, ...problems], left: [...again, ...others] }
    }
    const [only] = lines
    if (lines.length === 1 && only !== undefined) {
      return { ...state, problems: [...state.problems, { line: only.line, message: error.message }], left: others }
    }
    // It names no line: one of the halves is refused again, until one line is left.
    const middle = Math.ceil(lines.length / 2)
    const halves = [lines.slice(0, middle), lines.slice(middle)].map((half) => ({ key: newKey(), lines: half }))
    return { ...state, left: [...halves, ...others] }
  }
}

function problemsOf(error: ServiceError, lines: readonly ImportLine[]): LineProblem[] {
  return error.errors.flatMap(({ pointer, message }) => {
    const [, index, ...rest] = pointer?.split('/') ?? []
    const line = index === undefined || index === '' ? undefined : lines[Number(index)]
    if (line === undefined) return []
    return [{ line: line.line, message: rest.length === 0 ? message : `${rest.join('/')}: ${message}` }]
  })
}
