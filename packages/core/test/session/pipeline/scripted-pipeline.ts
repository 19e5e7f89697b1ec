import pg from 'pg'
import { onTestFinished } from 'vitest'
import {
  isPipelineClient,
  type KeptName,
  Pipeline,
  type PipelineClient,
  type PostgresResult,
} from '../../../src/session/postgres/pipeline/index.ts'
import { type Answer, ScriptedServer } from './scripted-server.ts'

export interface ScriptedPipeline {
  readonly server: ScriptedServer
  readonly client: pg.Client & PipelineClient
  readonly pipeline: Pipeline
  /** Runs a statement whose values are all text. */
  run(text: string, texts?: readonly (string | null)[], kept?: KeptName): Promise<PostgresResult>
  /** Resolves when the connection is closed. */
  readonly closed: Promise<void>
}

/** A pipeline on a client of `pg` itself, which is connected to a server that answers by a script. */
export async function scriptedPipeline(
  script: Readonly<Record<string, Answer>>,
  options: pg.ClientConfig = {},
): Promise<ScriptedPipeline> {
  const server = new ScriptedServer(script)
  const client = new pg.Client({ ...options, user: 'ada', stream: () => server })
  // A lost connection fails the statements that run on it, and the client reports it as well.
  client.on('error', () => {})
  const closed = new Promise<void>((resolve) => client.once('end', resolve))
  await client.connect()
  onTestFinished(() => void server.destroy())
  server.writes = 0
  if (!isPipelineClient(client)) throw new Error('this pg has no pipeline')
  const pipeline = new Pipeline(client)
  return {
    server,
    client,
    pipeline,
    closed,
    run: (text, texts = [], kept = undefined) => pipeline.run({ text, values: texts, texts, kept }),
  }
}
