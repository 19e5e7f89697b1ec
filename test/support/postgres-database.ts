import pg from 'pg'
import { inject } from 'vitest'

/** An empty PostgreSQL database that nobody else uses. */
export interface PostgresDatabase {
  readonly url: string
  /** To be called when its connections are closed. */
  giveBack(): Promise<void>
}

/** Databases that this worker has made and emptied again: to create one takes the server longer than most tests. */
const free: string[] = []
let made = 0

export async function takePostgresDatabase(): Promise<PostgresDatabase> {
  const name = free.pop() ?? (await createDatabase())
  const url = new URL(inject('postgresUrl'))
  url.pathname = `/${name}`
  return {
    url: url.href,
    async giveBack() {
      await runOn(url.href, REMOVE_ALL)
      free.push(name)
    },
  }
}

async function createDatabase(): Promise<string> {
  made += 1
  const name = `${inject('postgresPrefix')}${process.pid}_${made}`
  await runOn(inject('postgresUrl'), `create database "${name}"`)
  return name
}

/** A connection that a test has left open may hold locks. */
const REMOVE_ALL = `do $$
  declare
    one name;
  begin
    perform pg_terminate_backend(pid, 5000) from pg_stat_activity
      where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid();
    for one in select nspname from pg_namespace where nspname !~ '^pg_' and nspname <> 'information_schema' loop
      execute format('drop schema %I cascade', one);
    end loop;
    create schema public;
  end
$$`

async function runOn(url: string, statement: string): Promise<void> {
  const client = new pg.Client(url)
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}
