import { privateResources } from './access.ts'
import { icon } from './icon.ts'
import { resources } from './resources.ts'
import type { Shop } from './shop.ts'
import { commandsFor } from './start-page/commands.ts'
import { commandRows } from './start-page/curl.ts'
import { type Html, html } from './start-page/html.ts'
import { relationRows } from './start-page/relations.ts'
import { findSamples } from './start-page/samples.ts'
import { style } from './start-page/style.ts'

const shown = [
  'book',
  'author',
  'publisher',
  'series',
  'category',
  'tag',
  'boxSet',
  'contract',
  'customer',
  'order',
] as const

/** The page at `/`: what is here, with links and commands that work on the records of this moment. */
export async function startPage(shop: Shop, origin: string): Promise<string> {
  const [cards, samples] = await Promise.all([Promise.all(shown.map((key) => card(shop, key))), findSamples(shop)])
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Bookshop · fastify-crud</title>
<link rel="icon" href="${icon}">
${style}
</head>
<body>
<header>
<h1>Bookshop</h1>
<p>A publishing house and its shop, as a REST service. Nobody wrote its routes: they follow from the
${resources.resources.size} resource descriptors in <code>examples/bookshop/src/resources</code>.</p>
<nav><a href="/reference">API reference</a><a href="/reference/openapi.json">OpenAPI document</a></nav>
</header>
<main>
<h2>What is here</h2>
<p class="soft">Each card opens the first records. What a record owns, such as the chapters of a book, lives below it.</p>
<ul class="cards">
${cards}
</ul>
<h2>Find your own case</h2>
<p class="soft">Every kind of relation once: how it is declared, what it means, and where to see it.</p>
<div class="scroll"><table>
<thead><tr><th>Declared as</th><th>Means</th><th>Here</th></tr></thead>
<tbody>
${relationRows(samples)}
</tbody></table></div>
<h2>Who may do what</h2>
<p class="soft">The header <code>x-user</code> says who you are; <code>src/access.ts</code> has the rules.</p>
<div class="scroll"><table>
<thead><tr><th>User</th><th>May</th></tr></thead>
<tbody>
<tr><td>nobody</td><td>view everything but contracts, customers and orders</td></tr>
<tr><td><code>x-user: ada</code></td><td>the editor: view, add and edit everything</td></tr>
<tr><td><code>x-user: ben</code></td><td>the owner of the shop: delete, too</td></tr>
</tbody></table></div>
<h2>Try it</h2>
<p class="soft">Look at the answers' headers, too: a new record has a <code>Location</code>, a book counts its
<code>X-Views</code> (one endpoint of this service is replaced, in <code>src/count-views.ts</code>).</p>
${commandRows(commandsFor(samples), origin)}
</main>
</body>
</html>`
  return page.text
}

async function card(shop: Shop, key: (typeof shown)[number]): Promise<Html> {
  const { count } = await shop.resource(key).list({ limit: 1 })
  const resource = resources.resources.get(key)
  const path = `/api/${resource?.route}`
  const name = privateResources.has(key) ? html`<code>${path}</code>` : html`<a href="${path}"><code>${path}</code></a>`
  const note = privateResources.has(key) ? html` <i>For ada and ben only.</i>` : html``
  return html`<li><span class="top">${name}<span class="count">${count}</span></span><p>${resource?.description ?? ''}${note}</p></li>`
}
