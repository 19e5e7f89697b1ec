import { mayDo } from './access.ts'
import type { Caller } from './caller.ts'
import { icon } from './icon.ts'
import { resources } from './resources.ts'
import type { GuardedShop, Shop } from './shop.ts'
import { askSection } from './start-page/ask.ts'
import { commandsFor } from './start-page/commands.ts'
import { commandRows } from './start-page/curl.ts'
import { type Html, html } from './start-page/html.ts'
import { relationRows } from './start-page/relations.ts'
import { ruleRows } from './start-page/rules.ts'
import { findSamples } from './start-page/samples.ts'
import { style } from './start-page/style.ts'
import { userRows } from './start-page/users.ts'

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
  'audit',
] as const

export interface Reader {
  /** Undefined for a visitor. */
  readonly name: string | undefined
  readonly caller: Caller
  /** Where the reader's browser finds this service. */
  readonly origin: string
}

/** The page at `/`: what is here for the reader, with links and commands that work on the records of this moment. */
export async function startPage(crud: GuardedShop, { name, caller, origin }: Reader): Promise<string> {
  const [cards, samples] = await Promise.all([
    Promise.all(shown.map((key) => card(crud.as(caller), key, caller))),
    findSamples(crud.asSystem()),
  ])
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
<h2 id="you">Who you are</h2>
<p class="soft">Choose, and see what is here for you. A request of your own says it by the header <code>x-user</code>;
<code>src/access.ts</code> has the rules.</p>
<div class="scroll"><table>
<thead><tr><th>You are</th><th>Says</th><th>May</th></tr></thead>
<tbody>
${userRows(samples, name)}
</tbody></table></div>
<h2>What is here for you</h2>
<p class="soft">Each card opens the first records, and counts those that you see. What a record owns, such as the chapters of a book, lives below it.</p>
<ul class="cards">
${cards}
</ul>
${askSection()}
<h2>Find your own case</h2>
<p class="soft">Every kind of relation once: how it is declared, what it means, and where to see it.</p>
<div class="scroll"><table>
<thead><tr><th>Declared as</th><th>Means</th><th>Here</th></tr></thead>
<tbody>
${relationRows(samples)}
</tbody></table></div>
<h2>What the shop adds to its orders</h2>
<p class="soft">Rules hold whichever way an order is written: by its own path, by that of a line, by <code>app.crud</code>.
They are in <code>src/rules.ts</code>, and the commands below try them.</p>
<div class="scroll"><table>
<thead><tr><th>Rule</th><th>Means</th></tr></thead>
<tbody>
${ruleRows()}
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

async function card(shop: Shop, key: (typeof shown)[number], caller: Caller): Promise<Html> {
  const { count } = await shop.resource(key).list({ limit: 1 })
  const resource = resources.resources.get(key)
  const path = `/api/${resource?.route}`
  const mayView = mayDo(caller, 'View', key)
  const name = mayView ? html`<a href="${path}"><code>${path}</code></a>` : html`<code>${path}</code>`
  const note = mayView ? html`` : html` <i>Not for you.</i>`
  return html`<li><span class="top">${name}<span class="count">${count}</span></span><p>${resource?.description ?? ''}${note}</p></li>`
}
