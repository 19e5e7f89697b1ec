import { Kysely } from 'kysely'
import { dialectOf } from '../src/databases.ts'
import { serveCrud } from './serve-crud.ts'

/** This library on a Kysely instance of the application's own, as Kysely's documentation makes it: no statement is kept. */
export const start = (location: string): Promise<number> => serveCrud(new Kysely({ dialect: dialectOf(location) }))
