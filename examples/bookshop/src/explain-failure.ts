/** An error whose message says all there is to say. */
export class StartError extends Error {
  override readonly name = 'StartError'
}

/** Why the server could not start, for whoever started it: a sentence where the cause is known, else the error itself. */
export function explainFailure(error: unknown, port: number): unknown {
  if (error instanceof StartError) return error.message
  if (!(error instanceof Error) || !('code' in error)) return error
  switch (error.code) {
    case 'EADDRINUSE':
      return `Port ${port} is taken. Choose another one with the variable PORT, e.g. PORT=${port + 1}.`
    case 'EACCES':
      return `Port ${port} may not be used. Choose another one with the variable PORT, e.g. PORT=3000.`
    case 'ERR_SOCKET_BAD_PORT':
      return `PORT is not a port: '${process.env.PORT}'.`
    case 'ECONNREFUSED':
    case 'ENOTFOUND':
      return `No PostgreSQL answers where DATABASE_URL says (${error.code}).`
    case '28P01':
    case '28000':
    case '3D000':
      return `PostgreSQL refuses what DATABASE_URL says: ${error.message}.`
    default:
      return error
  }
}
