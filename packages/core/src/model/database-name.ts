/** The databases that are supported. */
export type DatabaseName = 'sqlite' | 'postgres'
