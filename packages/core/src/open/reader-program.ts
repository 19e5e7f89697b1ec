/**
 * What a thread runs that reads: a file of the sources. The build puts the text of a whole program in place of this
 * module, which then runs wherever a bundler of the application puts it.
 */
export const READER_PROGRAM: string | URL = new URL('./reader-thread.ts', import.meta.url)
