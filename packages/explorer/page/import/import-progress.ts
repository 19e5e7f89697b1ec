import type { ImportLine, ImportState } from './send-portions.ts'

/**
 * How far the import of a file has come, so that a page that was closed goes on with it. Nothing of the file is kept but
 * the numbers of its lines: who goes on chooses the file again.
 */
export interface ImportProgress {
  readonly mapping: readonly (readonly [column: string, target: string])[]
  readonly by: string
  readonly done: number
  readonly refused: readonly number[]
  readonly left: readonly { readonly key: string; readonly lines: readonly number[] }[]
  /** In milliseconds: a service knows its keys for a day. */
  readonly at: number
}

const DAY = 24 * 60 * 60 * 1000

/** By which a file is known again: a digest of what is in it, and where it goes. */
export async function nameOfImport(collectionUrl: string, text: string): Promise<string | undefined> {
  // Pages that are not loaded over HTTPS, nor from the machine itself, have none.
  if (globalThis.crypto?.subtle === undefined) return undefined
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(`${collectionUrl}\n${text}`))
  return `import ${Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('')}`
}

export function saveProgress(name: string, state: ImportState, mapping: ReadonlyMap<string, string>, by: string): void {
  const progress: ImportProgress = {
    mapping: [...mapping],
    by,
    done: state.done,
    refused: [...new Set(state.problems.map(({ line }) => line))],
    left: state.left.map(({ key, lines }) => ({ key, lines: lines.map(({ line }) => line) })),
    at: Date.now(),
  }
  try {
    if (state.left.length === 0) localStorage.removeItem(name)
    else localStorage.setItem(name, JSON.stringify(progress))
  } catch {
    // A browser that keeps nothing: the import goes on all the same.
  }
}

export function readProgress(name: string): ImportProgress | undefined {
  try {
    const progress: ImportProgress | null = JSON.parse(localStorage.getItem(name) ?? 'null')
    return progress !== null && Date.now() - progress.at < DAY ? progress : undefined
  } catch {
    return undefined
  }
}

/** The import as it was, with the lines of the file that was chosen again. */
export function stateOf({ done, refused, left }: ImportProgress, lines: readonly ImportLine[]): ImportState {
  const known = new Map(lines.map((one) => [one.line, one]))
  return {
    done,
    problems: refused.map((line) => ({ line, message: 'was refused before' })),
    left: left.map(({ key, lines: numbers }) => ({
      key,
      lines: numbers.flatMap((number) => known.get(number) ?? []),
    })),
  }
}
