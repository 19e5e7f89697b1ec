import { open, readdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Line, Sent } from './history.ts'

/** So much of the end of a log has the requests of the last moments. */
const BYTES = 64 * 1024

/** The requests with a key in the logs of other servers that have no answer there: their server is at work, or was killed. */
export async function unanswered(ownLog: string): Promise<Sent[]> {
  const folder = dirname(ownLog)
  const names = (await readdir(folder)).filter((name) => name.endsWith('.jsonl') && join(folder, name) !== ownLog)
  const found: Sent[] = []
  for (const name of names) {
    const sent = new Map<string, Sent>()
    for (const line of await lastLines(join(folder, name))) {
      if (line.line === 'sent' && line.repeatable !== undefined) sent.set(line.token, line)
      if (line.line === 'answered') sent.delete(line.token)
    }
    found.push(...sent.values())
  }
  return found
}

/** Without the first and the last one, which may be cut. */
async function lastLines(log: string): Promise<Line[]> {
  await using file = await open(log)
  const { size } = await file.stat()
  const from = Math.max(0, size - BYTES)
  const { buffer, bytesRead } = await file.read(Buffer.alloc(Math.min(size, BYTES)), 0, Math.min(size, BYTES), from)
  const lines = buffer.toString('utf8', 0, bytesRead).split('\n')
  return lines.slice(from === 0 ? 0 : 1, -1).map((line) => JSON.parse(line) as Line)
}
