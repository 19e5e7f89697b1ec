/** Records that every run starts with. */
export const RECORDS = 1_000

/** Children of each of them: record 1 has the children 1 to 5, record 2 has 6 to 10, and so on. */
export const CHILDREN = 5
