import { ConflictError, ServiceError } from '../service-error.ts'
import type { FormBody } from './form-body.ts'

/** What a service has refused, in the terms of forms. */
export interface FormRefusal {
  readonly message: string
  readonly status: number
  readonly code: string
  /** The messages of inputs, by their names: `chapters.2.title`. */
  readonly inputs: Readonly<Record<string, string>>
  /** The problems that no input shows. */
  readonly others: readonly string[]
}

/** Sentences that an application may say in its own words, or as keys of its translations. */
export interface RefusalTexts {
  /** Somebody else has changed or deleted the record since it was read. */
  readonly conflict?: string
}

const CONFLICT =
  'Somebody else has changed this record in the meantime, and nothing was saved. Load it again, then repeat your change.'

/**
 * What an error says to people; undefined if it is not the service's answer: then the framework says it. `known`: the
 * names of the inputs that may have messages.
 */
export function refusalOf(
  error: unknown,
  { conflict = CONFLICT }: RefusalTexts,
  form?: FormBody,
  known?: ReadonlySet<string>,
): FormRefusal | undefined {
  if (!(error instanceof ServiceError)) return undefined
  const { status, code } = error
  if (error instanceof ConflictError) return { message: conflict, status, code, inputs: {}, others: [] }
  const inputs: Record<string, string> = {}
  const others: string[] = []
  for (const problem of error.errors) {
    const { pointer, message } = problem as { readonly pointer?: string; readonly message: string }
    const input = pointer && form?.inputAt(pointer)
    if (input && known?.has(input.split('.')[0] as string) !== false) inputs[input] ??= message
    else others.push(input ? `${input}: ${message}` : message)
  }
  const shown = Object.entries(inputs).map(([input, message]) => `${input}: ${message}`)
  const sentences = others.length > 0 ? others : shown
  return { message: sentences.join('; ') || error.message, status, code, inputs, others }
}
