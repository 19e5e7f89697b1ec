/** What is used of a pool of `pg`. */
export interface PostgresPool {
  readonly options: object
  connect(): Promise<PostgresClient>
  end(): Promise<void>
  on(event: 'error', listener: (error: Error) => void): unknown
  on(event: 'connect', listener: (client: PostgresClient) => void): unknown
}

export interface PostgresClient {
  // biome-ignore lint/suspicious/noExplicitAny: the driver's own `query` has a dozen overloads
  query(...args: any[]): any
  release(...args: never[]): void
  on(event: 'error', listener: (error: Error) => void): unknown
}
