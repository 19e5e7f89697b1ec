/** Longer names are not compared: it would take long, and hardly anybody types them. */
const LONGEST = 64

/** `; did you mean 'author'?` for the known name nearest to a wrong one, or nothing if none is near. */
export function didYouMean(wrong: string, known: Iterable<string>): string {
  if (wrong.length > LONGEST) return ''
  let best: string | undefined
  let bestDistance = Math.max(1, Math.floor(wrong.length / 3)) + 1
  for (const name of known) {
    const distance = editDistance(wrong.toLowerCase(), name.toLowerCase(), bestDistance)
    if (distance < bestDistance) {
      best = name
      bestDistance = distance
    }
  }
  return best === undefined ? '' : `; did you mean '${best}'?`
}

/**
 * Insertions, deletions, substitutions and swaps of neighbours that turn one word into the other; infinite if they are as many as `bound`.
 * Clients may ask for many names, and a resource may have many: most of them are given up at their first letters.
 */
function editDistance(a: string, b: string, bound: number): number {
  if (Math.abs(a.length - b.length) >= bound) return Number.POSITIVE_INFINITY
  let beforeLast: readonly number[] = []
  let last: readonly number[] = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    let least = i
    for (let j = 1; j <= b.length; j++) {
      const isEqual = a[i - 1] === b[j - 1]
      let distance = Math.min(at(last, j) + 1, at(row, j - 1) + 1, at(last, j - 1) + (isEqual ? 0 : 1))
      if (a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) distance = Math.min(distance, at(beforeLast, j - 2) + 1)
      row.push(distance)
      least = Math.min(least, distance)
    }
    if (least >= bound) return Number.POSITIVE_INFINITY
    beforeLast = last
    last = row
  }
  return at(last, b.length)
}

function at(row: readonly number[], j: number): number {
  return row[j] ?? Number.POSITIVE_INFINITY
}
