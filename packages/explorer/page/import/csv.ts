/** The records of a CSV file as texts, by RFC 4180. The separator is the one that the first line has most of. */
export function readCsv(text: string): string[][] {
  const source = text.replace(/^\uFEFF/, '')
  const separator = separatorOf(source)
  const rows: string[][] = []
  let row: string[] = []
  let cell = ''
  let isQuoted = false
  const endCell = () => {
    row.push(cell)
    cell = ''
  }
  const endRow = () => {
    endCell()
    if (row.length > 1 || row[0] !== '') rows.push(row)
    row = []
  }
  for (let index = 0; index < source.length; index += 1) {
    const letter = source[index] as string
    if (isQuoted) {
      if (letter !== '"') cell += letter
      else if (source[index + 1] === '"') {
        cell += '"'
        index += 1
      } else isQuoted = false
    } else if (letter === '"' && cell === '') isQuoted = true
    else if (letter === separator) endCell()
    else if (letter === '\n') endRow()
    else if (letter !== '\r' || source[index + 1] !== '\n') cell += letter
  }
  if (cell !== '' || row.length > 0) endRow()
  return rows
}

function separatorOf(text: string): string {
  const [line = ''] = text.split('\n', 1)
  const counts = [',', ';', '\t'].map((separator) => [separator, line.split(separator).length] as const)
  return counts.reduce((best, one) => (one[1] > best[1] ? one : best))[0]
}

/** A cell of a CSV file. Spreadsheets take a text that begins like a formula for one, so it gets an apostrophe. */
export function csvCell(value: unknown): string {
  if (value === null || value === undefined) return ''
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value)
  const isFormula = typeof value === 'string' && /^[=+\-@\t\r\n]/.test(text) && !/^[+-]?\d+(?:\.\d+)?$/.test(text)
  const safe = isFormula ? `'${text}` : text
  return /[",;\t\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

export const toCsv = (rows: readonly (readonly unknown[])[]): string =>
  rows.map((row) => `${row.map(csvCell).join(',')}\r\n`).join('')
