/** Messages of PostgreSQL's protocol as a server writes them (https://www.postgresql.org/docs/current/protocol-message-formats.html). */
function message(type: string, ...parts: readonly Buffer[]): Buffer {
  const body = Buffer.concat(parts)
  return Buffer.concat([Buffer.from(type), int32(body.length + 4), body])
}

const text = (value: string) => Buffer.from(`${value}\0`)

function int16(value: number): Buffer {
  const buffer = Buffer.alloc(2)
  buffer.writeInt16BE(value)
  return buffer
}

function int32(value: number): Buffer {
  const buffer = Buffer.alloc(4)
  buffer.writeInt32BE(value)
  return buffer
}

export interface WireColumn {
  readonly name: string
  /** The OID of its type. */
  readonly type: number
}

export const AUTHENTICATION_OK: Buffer = message('R', int32(0))
export const PARSE_COMPLETE: Buffer = message('1')
export const BIND_COMPLETE: Buffer = message('2')
export const CLOSE_COMPLETE: Buffer = message('3')
export const NO_DATA: Buffer = message('n')
export const EMPTY_QUERY: Buffer = message('I')
/** The server waits for the rows of COPY. */
export const COPY_IN: Buffer = message('G', Buffer.from([0]), int16(0))

export function readyForQuery(status: string): Buffer {
  return message('Z', Buffer.from(status))
}

export function rowDescription(columns: readonly WireColumn[]): Buffer {
  const fields = columns.map(({ name, type }) =>
    Buffer.concat([text(name), int32(0), int16(0), int32(type), int16(-1), int32(-1), int16(0)]),
  )
  return message('T', int16(columns.length), ...fields)
}

export function dataRow(values: readonly (string | null)[]): Buffer {
  const fields = values.map((value) => {
    if (value === null) return int32(-1)
    const bytes = Buffer.from(value)
    return Buffer.concat([int32(bytes.length), bytes])
  })
  return message('D', int16(values.length), ...fields)
}

export function commandComplete(tag: string): Buffer {
  return message('C', text(tag))
}

export function errorResponse(code: string, severity = 'ERROR'): Buffer {
  return message('E', ...fieldsOf(code, severity))
}

export function notice(code: string): Buffer {
  return message('N', ...fieldsOf(code, 'NOTICE'))
}

export function parameterStatus(name: string, value: string): Buffer {
  return message('S', text(name), text(value))
}

function fieldsOf(code: string, severity: string): Buffer[] {
  return [text(`S${severity}`), text(`V${severity}`), text(`C${code}`), text(`M${severity} ${code}`), Buffer.from('\0')]
}
