/**
 * The JSON of an answer. A test walks through it as it likes: where the walk goes wrong, so does the test, and
 * `toEqual` says how.
 */
// biome-ignore lint/suspicious/noExplicitAny: see above
export type JsonBody = any
