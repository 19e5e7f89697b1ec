import { promises as fs } from 'node:fs'
import { mkdtemp, readdir, writeFile } from 'node:fs/promises'
import * as path from 'node:path'
import { join } from 'node:path'
import type { MigrationFile } from '@fastify-crud/tables'
import { FileMigrationProvider, type MigrationResultSet, Migrator } from 'kysely/migration'
import { expect } from 'vitest'
import type { OpenDatabase } from '../../../../test/support/databases.ts'

/** A folder of migrations, which Kysely's own Migrator runs. */
export class Migrations {
  readonly folder: string
  readonly #migrator: Migrator

  /** `disableTransactions`: what the Migrator is told. */
  private constructor({ db }: OpenDatabase, folder: string, disableTransactions: boolean) {
    this.folder = folder
    const provider = new FileMigrationProvider({ fs, path, migrationFolder: folder })
    this.#migrator = new Migrator({ db, provider, disableTransactions })
  }

  /** In the workspace, so that the modules find the packages. */
  static async in(open: OpenDatabase, parent: string, disableTransactions = true): Promise<Migrations> {
    const folder = await mkdtemp(join(parent, 'migrations-'))
    return new Migrations(open, folder, disableTransactions && open.name === 'postgres')
  }

  async add(files: readonly MigrationFile[]): Promise<void> {
    const there = (await readdir(this.folder)).length
    for (const [position, { source, kind }] of files.entries()) {
      const name = `${String(there + position).padStart(4, '0')}_${kind}.ts`
      await writeFile(join(this.folder, name), source)
    }
  }

  async up(): Promise<void> {
    succeeded(await this.tryUp())
  }

  tryUp(): Promise<MigrationResultSet> {
    return this.#migrator.migrateToLatest()
  }

  /** All of them. */
  async down(): Promise<void> {
    for (const _ of await readdir(this.folder)) succeeded(await this.#migrator.migrateDown())
  }
}

function succeeded({ error, results }: MigrationResultSet): void {
  expect(error).toBeUndefined()
  expect(results?.map(({ status }) => status).filter((status) => status !== 'Success')).toEqual([])
}
