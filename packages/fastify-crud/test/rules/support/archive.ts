import { audit, outbox } from '@fastify-crud/core'
import { Type } from '@sinclair/typebox'
import { createTables, defineResources, ownedBy, owns } from 'fastify-crud'
import type { OpenDatabase } from '../../../../../test/support/databases.ts'
import { createChangeTables } from './records-of-changes.ts'
import type { TestRules } from './rules.ts'

/** Letters own sheets; a letter's seal is never shown. */
export const archive = defineResources({
  letter: {
    fields: { title: Type.String(), seal: Type.Optional(Type.String({ writeOnly: true })) },
    relations: { sheets: owns.many('sheet') },
  },
  sheet: { fields: { text: Type.String() }, relations: { letter: ownedBy('letter') } },
})

/** What is in no table of changes: the value of the `writeOnly` field. */
export const SEAL = 'the zebra seal'

export const audited: TestRules = { letter: audit('audit'), sheet: audit('audit') }
export const posted: TestRules = { letter: outbox('outbox'), sheet: outbox('outbox') }

export async function createArchiveTables(open: OpenDatabase): Promise<void> {
  await createTables(open.db, archive)
  await createChangeTables(open)
}
