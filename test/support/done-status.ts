/** The status of a request that is done, by its method. */
export const doneStatus: Readonly<Record<string, number>> = {
  GET: 200,
  HEAD: 200,
  POST: 201,
  PUT: 200,
  PATCH: 200,
  DELETE: 204,
}
