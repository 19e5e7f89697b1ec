/** A command of the client, to be compared with. */
export function commandOf(type: string, body: Buffer): string {
  const [first = '', second = ''] = body.toString().split('\0')
  switch (type) {
    case 'P':
      return `parse ${first}: ${second}`
    case 'B':
      return `bind ${second}${valuesOf(body)}`
    case 'D':
      return 'describe'
    case 'E':
      return 'execute'
    case 'C':
      return `close ${first.slice(1)}`
    case 'S':
      return 'sync'
    case 'Q':
      return `query: ${first}`
    default:
      throw new Error(`the server knows no message '${type}'`)
  }
}

/** The values of a Bind, of which the formats come first. */
function valuesOf(body: Buffer): string {
  let at = body.indexOf(0, body.indexOf(0) + 1) + 1
  at += 2 + 2 * body.readInt16BE(at)
  const values: (string | null)[] = []
  const count = body.readInt16BE(at)
  at += 2
  for (let index = 0; index < count; index++) {
    const length = body.readInt32BE(at)
    at += 4
    values.push(length < 0 ? null : body.toString('utf8', at, at + length))
    at += Math.max(0, length)
  }
  return values.length === 0 ? '' : ` ${JSON.stringify(values)}`
}
