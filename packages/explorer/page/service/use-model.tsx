import { useQuery, useQueryClient } from '@tanstack/react-query'
import { createContext, type ReactNode, useContext } from 'react'
import type { ModelDocument, Resource, Row } from '../model/model.ts'
import { readModel } from '../model/read-model.ts'
import { type Ask, ask } from './ask.ts'
import { useCaller } from './caller.ts'
import { ServiceError } from './problem.ts'

const ModelContext = createContext<ModelDocument | undefined>(undefined)

export const ModelProvider = ({ model, children }: { readonly model: ModelDocument; readonly children: ReactNode }) => (
  <ModelContext value={model}>{children}</ModelContext>
)

/** The model as this caller sees it. */
export function useModel(): ModelDocument {
  const model = useContext(ModelContext)
  if (model === undefined) throw new Error('there is no model around this part')
  return model
}

export const useResource = (key: string): Resource | undefined => useModel().resources[key]

export function useModelQuery() {
  const caller = useCaller()
  return useQuery({
    queryKey: ['$model', caller],
    queryFn: async ({ signal }) => readModel((await ask('/$model', { signal })).body),
    staleTime: 60_000,
    // What is kept of the last one has names of its own only.
    structuralSharing: (last, next) =>
      (last as ModelDocument | undefined)?.hash === (next as ModelDocument).hash ? last : next,
  })
}

export interface ListAnswer {
  readonly rows: readonly Row[]
  readonly count?: number
  readonly countIs?: 'atLeast'
  readonly next?: string
}

/** One page of a list, as far as it is one. */
export async function askList(path: string, request: Ask): Promise<ListAnswer> {
  const { body } = await ask<ListAnswer | undefined>(path, request)
  if (!Array.isArray(body?.rows)) throw new ServiceError(200, { detail: 'The answer is no list.' })
  return { ...body, rows: body.rows.filter((row) => typeof row === 'object' && row !== null) }
}

/** One page of a list. */
export function useList(path: string | undefined, query: string, enabled = true) {
  const caller = useCaller()
  return useQuery({
    queryKey: ['list', caller, path, query],
    queryFn: async ({ signal }) => askList(String(path), { query, signal }),
    enabled: enabled && path !== undefined,
  })
}

export interface RecordAnswer {
  readonly row: Row
  readonly etag: string | undefined
}

export const recordKey = (caller: unknown, path: string) => ['record', caller, path] as const

export async function readRecord(path: string, signal?: AbortSignal): Promise<RecordAnswer> {
  const { body, etag } = await ask<Row | undefined>(path, signal ? { signal } : {})
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw new ServiceError(200, { detail: 'The answer is no record.' })
  return { row: body, etag }
}

export function useRecord(path: string, enabled = true) {
  const caller = useCaller()
  return useQuery({
    queryKey: recordKey(caller, path),
    queryFn: async ({ signal }) => readRecord(path, signal),
    enabled,
  })
}

/** After a write: what a list or a record shows may be another thing now. */
export function useForget(): () => Promise<void> {
  const client = useQueryClient()
  return async () => {
    await client.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== '$model' })
  }
}
