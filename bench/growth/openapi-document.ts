/** The size of the OpenAPI document of a large model, and the time that it takes to make it: `[resources …]`. */
import { gzipSync } from 'node:zlib'
import { type Model, openApiOf } from 'fastify-crud'
import { modelText, writeGenerated } from './generate-model.ts'

const counts = process.argv.slice(2).map(Number)
for (const count of counts.length > 0 ? counts : [50, 150, 300]) {
  const model = await writeGenerated(`model-${count}.ts`, modelText(count))
  const { resources }: { resources: Model } = await import(model.href)
  const start = performance.now()
  const json = JSON.stringify(openApiOf(resources))
  const milliseconds = performance.now() - start
  const megabytes = (length: number) => `${(length / 1e6).toFixed(2)} MB`
  const sizes = `${megabytes(json.length)}, ${megabytes(gzipSync(json).length)} with gzip`
  console.log(`${count} resources: ${sizes}, ${milliseconds.toFixed(0)} ms`)
}
