// biome-ignore lint/suspicious/noExplicitAny: a caller of which nothing is known
export type AnyCaller = Readonly<Record<string, any>>
