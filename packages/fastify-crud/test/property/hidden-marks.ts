import type { Json } from './json.ts'
import type { Request } from './reference-answer.ts'
import type { RefModel } from './reference-model.ts'
import { rowsOf, type State } from './reference-store.ts'
import { deletedOf } from './reference-trash.ts'
import type { SideAnswer } from './side.ts'

/** With what the values begin that stand in one place only, so that they tell where an answer has them from. */
export const MARK = 'mark'

/**
 * Throws an Error if an answer without a record says a value of a record that the caller does not see, or a value that nobody sees,
 * and that the caller did not send.
 */
export function checkHiddenMarks(
  model: RefModel,
  state: State,
  seen: State,
  { caller, body }: Request,
  { status, headers, body: answered }: SideAnswer,
): void {
  if (caller === undefined || status < 400) return
  refuseMarks(model, state, seen, body, JSON.stringify([headers, answered]))
}

/** The same of a preview, which may say nothing of a record that the caller sees neither before nor after the write. */
export function checkPreviewMarks(
  model: RefModel,
  state: State,
  seen: readonly State[],
  { caller, body }: Request,
  preview: SideAnswer | undefined,
): void {
  if (caller === undefined || preview === undefined) return
  const said = JSON.stringify([preview.headers, preview.body])
  for (const mark of hiddenMarks(model, state, seen[0] as State)) {
    const isHidden = seen.every((one) => hiddenMarks(model, state, one).includes(mark))
    if (isHidden && said.includes(mark) && !JSON.stringify(body)?.includes(mark))
      throw new Error(`expected that no preview says what is hidden, but: ${mark}`)
  }
}

function refuseMarks(model: RefModel, state: State, seen: State, body: Request['body'], said: string): void {
  const sent = JSON.stringify(body) ?? ''
  const shown = hiddenMarks(model, state, seen).filter((mark) => said.includes(mark) && !sent.includes(mark))
  if (shown.length > 0) throw new Error(`expected that nothing hidden is said, but: ${shown.join(', ')}`)
}

function hiddenMarks(model: RefModel, state: State, seen: State): string[] {
  return [...model.resources.values()].flatMap((resource) =>
    [...rowsOf(state, resource.key).values(), ...deletedOf(state, resource.key)].flatMap((row) => {
      const isSeen = rowsOf(seen, resource.key).has(row.id)
      const hidden = resource.fields.filter(({ writeOnly }) => writeOnly || !isSeen)
      return hidden.map(({ name }) => row.values[name] ?? null).filter(isMark)
    }),
  )
}

function isMark(value: Json): value is string {
  return typeof value === 'string' && value.startsWith(MARK)
}
