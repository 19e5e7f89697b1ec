import { createClient, ServiceError } from '@fastify-crud/client'
import { createQueries, live } from '@fastify-crud/client/query'
import { QueryClient } from '@tanstack/react-query'
import type { resources } from '../server/model.ts'

/** The service, with the types of its model. */
export const api = createClient<typeof resources>({ url: '/api' })

export const queryClient = new QueryClient({
  // What is shown is read again when somebody writes it, and no sooner.
  defaultOptions: { queries: { staleTime: Number.POSITIVE_INFINITY, retry: false } },
})
export const q = createQueries(api, queryClient)

/** From now on, the page shows what others write. All tabs of a browser share one stream of changes. */
export const following = live(api, queryClient)

/** A whole note, with its ETag. */
export type Note = Awaited<ReturnType<typeof api.note.patch>>

/** What went wrong, for people. */
export function messageOf(error: unknown): string {
  if (error instanceof ServiceError) return asSentence(error.errors[0]?.message ?? error.message)
  return 'The service cannot be reached. Nothing was saved.'
}

export function asSentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`
}
