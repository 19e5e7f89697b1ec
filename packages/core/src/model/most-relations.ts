/** The most relations of one path. */
export const MOST_RELATIONS = 5
