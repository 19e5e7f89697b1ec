/**
 * The public interface of the pipeline. {@link isPipelineClient} says whether a client of `pg` can have a
 * {@link Pipeline}, and {@link missingIn} what it lacks.
 */

export { isFatal, isOutdated, isReadTimeout, isUnknownStatement } from './message.ts'
export { Pipeline } from './pipeline.ts'
export type { KeptGroup, KeptName, PostgresResult, Statement } from './pipeline-client.ts'
export { isPipelineClient, missingIn, type PipelineClient, takesOnlyPlainQueries } from './pipeline-client.ts'
