import { AUTHORIZATION } from '../src/servers/access.ts'

export interface BigRecord {
  readonly id?: number
  readonly name: string
  readonly quantity: number
  readonly children: readonly { readonly id?: number; readonly name: string; readonly quantity: number }[]
}

export function newChildren(count: number, turn: number): BigRecord['children'] {
  return Array.from({ length: count }, (_, quantity) => ({ name: `child of turn ${turn}`, quantity }))
}

/** Sends a body and waits for the record. */
export async function askForRecord(
  port: number,
  method: 'POST' | 'PUT',
  path: string,
  body: BigRecord,
): Promise<{ record: BigRecord; milliseconds: number }> {
  const text = JSON.stringify(body)
  const begin = performance.now()
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method,
    headers: { authorization: AUTHORIZATION, 'content-type': 'application/json' },
    body: text,
  })
  const answer = await response.text()
  const milliseconds = performance.now() - begin
  if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${answer.slice(0, 500)}`)
  const record: BigRecord = JSON.parse(answer)
  if (record.children.length !== body.children.length) throw new Error(`${method} ${path} left others than it was sent`)
  return { record, milliseconds }
}
